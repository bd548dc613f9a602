import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultPolicy } from '../../../src/plan/policy.ts'
import { hashPlan } from '../../../src/plan/present-plan.ts'
import { approvedPlan } from '../../../src/plan/steps/approved-plan.ts'
import { carryOutId } from '../../../src/review/carry-out.ts'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { textOf } from '../../../src/session/messages.ts'
import { carryOutElsewhere, carryOutHere } from '../../../src/vscode/carry-out.ts'
import { ApprovalCards } from '../../../src/vscode/conversations/approval-cards.ts'
import type { Conversation } from '../../../src/vscode/conversations/conversation.ts'
import { Conversations } from '../../../src/vscode/conversations/conversations.ts'
import { Project } from '../../../src/vscode/conversations/project.ts'
import { PlanListing } from '../../../src/vscode/plans/plan-listing.ts'
import { WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { engineFiles } from '../../support/engine-files.ts'
import { modelsOf, ScriptedModel } from '../../support/scripted-model.ts'

const PLAN = '# Add rate limits\n\n## Steps\n\n1. Write `limiter.ts`.\n2. Wire it.\n\n```ts\nlimit()\n```\n'
const EDITED = PLAN.replace('Wire it', 'Wire it up')

for (const backend of ['jsonl', 'sqlite'] as const) {
  describe(`the plans of a folder, ${backend}`, function () {
    this.timeout(30_000)
    let home: string
    const windows: Window[] = []

    beforeEach(async () => {
      home = await mkdtemp(join(tmpdir(), 'plan-mode-plans-'))
      await mkdir(join(home, 'work'))
    })

    afterEach(async () => {
      for (const window of windows.splice(0)) await window.close()
      await rm(home, { recursive: true, force: true })
    })

    /** What a window holds, without VS Code. */
    class Window {
      readonly conversations = new Conversations({ get: () => undefined, update: async () => {} })
      readonly projects: readonly Project[]
      readonly listing: PlanListing
      looked = 0

      readonly model: ScriptedModel

      constructor(project: Project, model: ScriptedModel) {
        this.projects = [project]
        this.model = model
        const describe = (id: string) => {
          this.looked++
          return project.describe(id)
        }
        const list = () => project.list()
        const { conversations } = this
        this.listing = new PlanListing({
          projects: [{ list, describe }],
          conversations,
          report: error => assert.fail(String(error)),
        })
      }

      static async open(): Promise<Window> {
        const model = new ScriptedModel([[{ text: 'Carried out.' }]])
        const project = await Project.open({
          folder: join(home, 'work'),
          name: 'work',
          root: join(home, 'work', '.plan-mode', 'sessions'),
          rootByUser: false,
          log: { backend, compression: 'none', packChunks: true, batchWindow: 0 },
          models: modelsOf(model),
          policy: () => defaultPolicy,
          approvalPolicy: () => 'ask',
          toolsMode: () => 'native',
          program: engineFiles,
          cards: new ApprovalCards(),
          questions: new WindowQuestions(),
          reviewDrafts: new DraftStore(join(home, 'drafts')),
          ripgrep: undefined,
          isDirty: () => false,
          onError: error => assert.fail(String(error)),
        })
        const window = new Window(project, model)
        windows.push(window)
        return window
      }

      get project(): Project {
        const [project] = this.projects
        assert.ok(project)
        return project
      }

      /** A conversation in which a plan waits for its review; no agent worked for it. */
      async presented(reviewId = 'r1'): Promise<Conversation> {
        const conversation = await this.conversations.create(this.project)
        const { session } = conversation
        session.append('plan/mode', { active: true })
        session.append('turn/start', { turn: 1 })
        session.append('step/start', { turn: 1, step: 1 })
        const call = { callId: 'c', name: 'exit_plan_mode', arguments: JSON.stringify({ plan: PLAN }) }
        session.append('tool/call', { turn: 1, step: 1, ...call })
        session.append('review/presented', { reviewId, callId: 'c', planHash: hashPlan(PLAN) })
        session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
        await conversation.flush()
        return conversation
      }

      async plans(): Promise<string[]> {
        await this.listing.refresh()
        return this.listing.plans.map(({ title, state, start }) => `${title} · ${state}${start ? ' · start' : ''}`)
      }

      async close(): Promise<void> {
        await this.conversations.dispose()
        await this.project.dispose()
      }
    }

    async function decided(conversation: Conversation, next: 'fresh' | 'save', notes = 'Keep it small.') {
      const edited = { plan: EDITED, planHash: hashPlan(EDITED) }
      const data = { reviewId: 'r1', planHash: hashPlan(PLAN), decision: 'approved' as const, next, notes, edited }
      conversation.session.append('review/decided', data)
      conversation.session.append('plan/mode', { active: false })
      await conversation.flush()
    }

    it('are the same from what is open, from logs, and in another life', async () => {
      const first = await Window.open()
      await first.presented()
      assert.deepEqual(await first.plans(), ['Add rate limits · waiting'])
      assert.equal(first.listing.waiting, 1)
      windows.splice(0)
      await first.close()
      const second = await Window.open()
      assert.deepEqual(await second.plans(), ['Add rate limits · waiting'])
      assert.equal(second.looked, 1)
      await second.plans()
      assert.equal(second.looked, 1, 'a log that has not changed is not looked at again')
    })

    it('are told of once when what is open changes, without a look at any log', async () => {
      const window = await Window.open()
      const conversation = await window.presented()
      await window.plans()
      const { looked } = window
      let told = 0
      using _ = window.listing.changed.on(() => told++)
      window.listing.update()
      assert.equal(told, 0)
      await decided(conversation, 'save')
      window.listing.update()
      window.listing.update()
      assert.equal(told, 1)
      assert.equal(window.looked, looked)
      assert.deepEqual(
        window.listing.plans.map(({ state }) => state),
        ['saved'],
      )
    })

    it('carried out elsewhere begin a log with the plan and nothing of the old one, once', async () => {
      const window = await Window.open()
      const old = await window.presented()
      await decided(old, 'fresh')
      assert.deepEqual(await window.plans(), ['Add rate limits · approved · start'], 'not lost before it is taken up')
      const [one, two] = await Promise.all([carryOutElsewhere(window, old, 'r1'), carryOutElsewhere(window, old, 'r1')])
      assert.equal(one, two)
      assert.equal(window.conversations.shown, one)
      assert.equal(one.title, 'Add rate limits')
      await one.agent.whenIdle()
      const events = [...one.session.from()]
      assert.deepEqual(
        events.slice(0, 4).map(({ type }) => type),
        ['plan/adopted', 'plan/steps', 'session/title', 'agent/inbox/spliced'],
      )
      const prompts = events.flatMap(event => (event.type === 'user/message' ? [textOf(event.data)] : []))
      assert.equal(prompts.length, 1)
      assert.match(prompts[0] ?? '', /^Carry out this plan\. The user approved it/)
      assert.ok(prompts[0]?.includes(`\`\`\`\`markdown\n${EDITED}\n\`\`\`\``), 'the edited plan, in a longer fence')
      assert.match(prompts[0] ?? '', /Keep it small\.$/)
      const { plan } = one.session.state(approvedPlan)
      assert.equal(plan?.planHash, hashPlan(EDITED))
      assert.deepEqual(
        plan?.steps.map(({ title }) => title),
        ['Write limiter.ts.', 'Wire it up.'],
      )
      assert.deepEqual(await window.plans(), ['Add rate limits · approved'])
      const again = await carryOutElsewhere(window, old, 'r1')
      assert.equal(again, one)
      assert.equal(one.session.length, events.length)
    })

    it('carried out elsewhere are begun once over lives and windows, too', async () => {
      const first = await Window.open()
      const old = await first.presented()
      await decided(old, 'fresh')
      const begun = await carryOutElsewhere(first, old, 'r1')
      await begun.agent.whenIdle()
      const { id, session } = begun
      windows.splice(0)
      await first.close()
      const second = await Window.open()
      const shown = await second.conversations.open(second.project, old.id)
      const again = await carryOutElsewhere(second, shown, 'r1')
      assert.equal(again.id, id)
      const adopted = [...again.session.from()].filter(({ type }) => type === 'plan/adopted')
      assert.equal(adopted.length, 1)
      assert.ok(again.session.length >= session.length)
    })

    /** Where a plan was taken up, over all logs of the folder, and how often a model was asked in these windows. */
    async function begun(...asked: readonly Window[]) {
      for (const { conversations } of asked) for (const { agent } of conversations.all) await agent.whenIdle()
      const fresh = await Window.open()
      const { sessions } = await fresh.project.list()
      const adopted: string[] = []
      for (const { header } of sessions) {
        const { session } = await fresh.project.describe(header.id)
        for (const { type } of session.from()) if (type === 'plan/adopted') adopted.push(header.id)
      }
      return { adopted, requests: asked.reduce((sum, { model }) => sum + model.requests.length, 0) }
    }

    it('carried out elsewhere by two windows at once are begun by one of them', async () => {
      for (let round = 0; round < 5; round++) {
        const [first, second] = [await Window.open(), await Window.open()]
        const old = await first.presented()
        await decided(old, 'fresh')
        const same = await second.conversations.open(second.project, old.id)
        assert.ok(same.readOnly)
        const both = await Promise.all([carryOutElsewhere(first, old, 'r1'), carryOutElsewhere(second, same, 'r1')])
        assert.equal(both[0].id, both[1].id)
        const { adopted, requests } = await begun(first, second)
        assert.deepEqual(adopted, [both[0].id])
        assert.equal(requests, 1, 'one agent works on it')
        for (const window of windows.splice(0)) await window.close()
        await rm(join(home, 'work', '.plan-mode'), { recursive: true, force: true })
      }
    })

    it('carried out here and elsewhere at once are begun in one place', async () => {
      for (let round = 0; round < 5; round++) {
        const [first, second] = [await Window.open(), await Window.open()]
        const own = await first.presented()
        await decided(own, 'save')
        const same = await second.conversations.open(second.project, own.id)
        await Promise.all([carryOutHere(first, own, 'r1'), carryOutElsewhere(second, same, 'r1')])
        const { adopted, requests } = await begun(first, second)
        assert.deepEqual([adopted.length, requests], [1, 1])
        for (const window of windows.splice(0)) await window.close()
        await rm(join(home, 'work', '.plan-mode'), { recursive: true, force: true })
      }
    })

    it('of which a killed window only said where they begin are begun there by the next one', async () => {
      const first = await Window.open()
      const own = await first.presented()
      await decided(own, 'save')
      await first.project.firstAnswers.settle(carryOutId({ sessionId: own.id, reviewId: 'r1' }), own.id)
      assert.equal(await carryOutElsewhere(first, own, 'r1'), own)
      assert.deepEqual(await begun(first), { adopted: [own.id], requests: 1 })
    })

    it('are not begun in a conversation that another window writes', async () => {
      const [first, second] = [await Window.open(), await Window.open()]
      const own = await first.presented()
      await decided(own, 'save')
      const same = await second.conversations.open(second.project, own.id)
      await assert.rejects(async () => carryOutHere(second, same, 'r1'), { code: 'READ_ONLY' })
      await carryOutHere(first, own, 'r1')
      assert.deepEqual(await begun(first, second), { adopted: [own.id], requests: 1 })
    })

    it('saved ones begin in their own conversation when a human says so, with the exact text again', async () => {
      const window = await Window.open()
      const own = await window.presented()
      await decided(own, 'save')
      assert.deepEqual(await window.plans(), ['Add rate limits · saved · start'])
      await Promise.all([carryOutHere(window, own, 'r1'), carryOutHere(window, own, 'r1')])
      await own.agent.whenIdle()
      const adopted = [...own.session.from()].filter(({ type }) => type === 'plan/adopted')
      assert.equal(adopted.length, 1)
      assert.equal(own.session.state(approvedPlan).plan?.next, 'start')
      assert.deepEqual(await window.plans(), ['Add rate limits · approved'])
      assert.equal(await carryOutElsewhere(window, own, 'r1'), own, 'what has begun is only shown')
    })

    it('that were not approved are not carried out, whoever asks', async () => {
      const window = await Window.open()
      const waiting = await window.presented()
      for (const act of [carryOutElsewhere, carryOutHere]) {
        await assert.rejects(async () => act(window, waiting, 'r1'), { code: 'NOT_APPROVED' })
        await assert.rejects(async () => act(window, waiting, 'other'), { code: 'NOT_APPROVED' })
      }
      assert.deepEqual(await window.plans(), ['Add rate limits · waiting'])
    })
  })
}
