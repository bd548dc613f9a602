// Every state of the review that is drawn for the eye and judged by axe.
import { type Opened, settled } from './open-page.ts'
import { nearEveryPicture, type PageState } from './page-states.ts'
import { askedRemark, board, bytesFor, remark, remarks, review, sketch } from './samples.ts'

const panel = [1360, 600, 380]

function read(name: string, show: (opened: Opened) => Promise<void>): PageState {
  return { page: 'review', name, widths: panel, show }
}

/** Going to a remark opens the drawer that they are where the page is narrow. */
async function showRemarks(opened: Opened): Promise<void> {
  await opened.page.locator('main').focus()
  await opened.page.keyboard.press('n')
  await settled(opened.page)
}

export const reviewStates: readonly PageState[] = [
  read('waiting', opened => opened.send(review())),
  read('feedback', async opened => {
    await opened.send(review())
    await opened.page.locator('textarea').fill('Two weeks: the billing run is every second one.\nAnd name the owner.')
  }),
  read('approve-with-text', async opened => {
    await opened.send(review())
    await opened.page.locator('textarea').fill('Two weeks: the billing run is every second one.')
    await opened.page.locator('#approve').click()
  }),
  read('confirm', async opened => {
    await opened.send(review())
    await opened.page.keyboard.press('Alt+Enter')
  }),
  read('sending', async opened => {
    await opened.send(review())
    await opened.page.locator('#approve').click()
  }),
  read('refused', async opened => {
    await opened.send(review(), {
      kind: 'refused',
      reviewId: 'review-2',
      text: 'The plan changed since it was shown. Read the new revision and decide again.',
    })
  }),
  read('remarks', opened =>
    opened.send(review({ revisions: 3, revision: 3, reviewId: 'review-3' }), {
      ...remarks(
        remark('C1', { state: 'open', fate: 'changed', claim: 'done, step 4' }),
        remark('C2', { kind: 'question', state: 'open', fate: 'unchanged', text: 'Which clock?' }),
        remark('C3', { state: 'open', fate: 'gone', range: null }),
        remark('C4', { kind: 'good', quote: null, range: null, state: 'resolved', text: '' }),
        remark('C5', { kind: 'remove', state: 'again', fate: 'unclear', range: null, text: '' }),
        remark('C6'),
      ),
      reviewId: 'review-3',
    }),
  ),
  read('drawer', async opened => {
    await opened.send(
      review(),
      remarks(remark('C1', { text: '' }), remark('C2', { state: 'open', fate: 'gone', range: null })),
    )
    await opened.page.keyboard.press('n')
    await settled(opened.page)
  }),
  read('selection', async opened => {
    await opened.send(review(), remarks())
    await opened.page.locator('main h1').dblclick({ position: { x: 20, y: 14 } })
    await opened.page.getByRole('toolbar').waitFor()
  }),
  read('asked', async opened => {
    await opened.send(
      review(),
      remarks(
        askedRemark('C1'),
        askedRemark('C2', {
          state: 'asking',
          text: '',
          activity: 'Read src/http/middleware/limits-and-quotas.ts · 4 calls',
        }),
        askedRemark('C3', { attached: true, text: 'In `src/config.ts`.' }),
        askedRemark('C4', {
          state: 'failed',
          text: 'The explorer failed: the endpoint http://127.0.0.1:9 could not be reached. Ask again, or send the question to the agent.',
        }),
        askedRemark('C5', { state: 'stopped', text: '' }),
      ),
    )
    await showRemarks(opened)
  }),
  read('remark-images', async opened => {
    const gone = { ...sketch, attachmentId: 'd'.repeat(64), name: 'lost.png' }
    await opened.send(
      review(),
      remarks(
        remark('C1', { images: [board, sketch] }),
        remark('C2', { state: 'open', fate: 'changed', images: [board, gone] }),
      ),
    )
    await showRemarks(opened)
    await nearEveryPicture(opened)
    await opened.waitForPosted('loadImage', 4)
    await opened.send(bytesFor(board), bytesFor(sketch), {
      kind: 'imageBytes',
      attachmentId: gone.attachmentId,
      data: null,
    })
  }),
  read('choices', async opened => {
    await opened.send(review({ fresh: { here: 24_000, plan: 500 } }), remarks(remark('C1')))
    await opened.page.locator('#approve-menu').click()
  }),
  read('unsent', async opened => {
    await opened.send(review(), remarks(remark('C1')))
    await opened.page.locator('#approve').click()
  }),
  read('older', opened => opened.send(review({ reviewId: 'review-1', revision: 1, older: true, state: 'kept' }))),
  read('revising', opened => opened.send(review({ state: 'kept', revising: true, feedback: 'Inject the clock.' }))),
  read('not-live', opened => opened.send(review({ live: false, mode: { active: false, pending: true } }))),
  read('read-only', opened =>
    opened.send(
      review({ readOnly: 'Another window is writing this conversation. It is read-only here.', continueHere: true }),
    ),
  ),
  read('approved', opened => opened.send(review({ state: 'approved', mode: { active: true, pending: true } }))),
  read('kept', opened => opened.send(review({ state: 'kept', feedback: 'Inject the clock, no timers.' }))),
  read('empty', opened => opened.send({ kind: 'empty', text: 'No plan waits for a review.' })),
]
