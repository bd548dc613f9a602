import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vscode from 'vscode'
import { planIn } from '../../src/plan/review.ts'
import { reviewHistory } from '../../src/review/revisions.ts'
import { ReviewReading } from '../../src/vscode/pages/review-reading.ts'
import { statesIn } from '../../src/vscode/reading/git-states.ts'
import { type ReachView, type ToReview, toReview } from '../../src/webview/review-messages.ts'
import { PLAN, planning, present, REVISED } from '../unit/plan/fixture.ts'
import { until } from './plan-mode.ts'

/** What a panel is told, parsed as its page would. */
class Told {
  readonly all: ToReview[] = []
  readonly post = (message: ToReview): void => void this.all.push(toReview.parse(message))

  of<K extends ToReview['kind']>(kind: K): Extract<ToReview, { kind: K }>[] {
    return this.all.filter((message): message is Extract<ToReview, { kind: K }> => message.kind === kind)
  }

  get reach(): ReachView | undefined {
    return this.of('reach').at(-1)?.reach
  }
}

const drawn = (markdown: string, planHash = 'a') =>
  ({ reviewId: 'review-1', planHash, state: 'waiting', markdown }) as const

describe('what helps to read a plan', () => {
  let folder = ''
  let told: Told
  let reading: ReviewReading
  const { session } = planning([])
  const conversation = () => ({
    session,
    project: {
      folder,
      root: join(folder, '.logs'),
      onError: (error: unknown) => {
        throw error
      },
    },
  })

  before(() => {
    folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? ''
    assert.notEqual(folder, '')
  })
  beforeEach(() => {
    told = new Told()
    reading = new ReviewReading(told.post)
  })
  afterEach(() => reading[Symbol.dispose]())

  describe('reach', () => {
    let outside = ''
    before(async () => {
      outside = await mkdtemp(join(tmpdir(), 'plan-mode-outside-'))
      await writeFile(join(outside, 'secret.ts'), 'secret')
      await symlink(outside, join(folder, 'way-out'))
      await mkdir(join(folder, '.logs'), { recursive: true })
      await writeFile(join(folder, '.logs', 'log.ts'), 'log')
      await writeFile(join(folder, 'blob.ts'), Buffer.from([0, 1, 2]))
    })
    after(async () => {
      for (const path of ['way-out', '.logs', 'blob.ts']) await rm(join(folder, path), { recursive: true, force: true })
      await rm(outside, { recursive: true, force: true })
    })

    it('tells which named files are there, which are tests, and what they begin with', async () => {
      const names = ['src/router.ts:12', 'test/router.test.ts', 'src/limiter.ts', 'README.md', 'no.such', 'blob.ts']
      reading.draw(conversation(), drawn(`# P\n\n${names.map(name => `\`${name}\``).join(' ')} [docs](./docs/api.md)`))
      await until('the reach', () => told.reach !== undefined)
      const files = Object.fromEntries((told.reach?.files ?? []).map(file => [file.path, file]))
      assert.deepEqual(
        Object.entries(files).map(([path, { exists, test }]) => [path, exists, test]),
        [
          ['src/router.ts', true, false],
          ['test/router.test.ts', true, true],
          ['src/limiter.ts', false, false],
          ['docs/api.md', true, false],
          ['README.md', true, false],
          ['blob.ts', true, false],
        ],
        'a bare name that is no file here may be anything',
      )
      const document = await vscode.workspace.openTextDocument(join(folder, 'src/router.ts'))
      assert.ok(document.getText().startsWith(files['src/router.ts']?.preview ?? '?'))
      assert.notEqual(files['src/router.ts']?.preview, '')
      assert.equal(files['blob.ts']?.preview, '', 'what is no text')
    })

    it('reads nothing outside of the folder, and not the logs', async () => {
      reading.draw(conversation(), drawn('# P\n\n`way-out/secret.ts` `.logs/log.ts` [x](../../etc/passwd)'))
      await until('the reach', () => told.reach !== undefined)
      assert.deepEqual(
        told.reach?.files.map(({ path, exists, preview }) => [path, exists, preview]),
        [
          ['way-out/secret.ts', false, ''],
          ['.logs/log.ts', false, ''],
        ],
      )
    })

    it('is told once for a text, and anew for another or a page that was loaded again', async () => {
      reading.draw(conversation(), drawn('# P\n\n`src/app.ts`'))
      reading.draw(conversation(), drawn('# P\n\n`src/app.ts`'))
      await until('the reach', () => told.of('reach').length === 1)
      reading.draw(conversation(), drawn('# P\n\n`src/log.ts`', 'b'))
      await until('that of the other text', () => told.reach?.files[0]?.path === 'src/log.ts')
      reading.reset()
      reading.draw(conversation(), drawn('# P\n\n`src/log.ts`', 'b'))
      await until('the same again', () => told.of('reach').length === 3)
    })
  })

  describe('symbols', () => {
    const uri = () => vscode.Uri.file(join(folder, 'src/router.ts'))
    let provider: vscode.Disposable | undefined
    afterEach(() => provider?.dispose())

    function know(...names: readonly { readonly name: string; readonly at: vscode.Uri; readonly line: number }[]) {
      provider = vscode.languages.registerWorkspaceSymbolProvider({
        provideWorkspaceSymbols: query =>
          names
            .filter(({ name }) => name.startsWith(query))
            .map(({ name, at, line }) => {
              const location = new vscode.Location(at, new vscode.Position(line, 0))
              return new vscode.SymbolInformation(name, vscode.SymbolKind.Function, '', location)
            }),
      })
    }

    it('that the language servers know are links with a preview, others are marked', async () => {
      const lines = (await vscode.workspace.openTextDocument(uri())).getText().split('\n')
      know(
        { name: 'handleRoute()', at: uri(), line: 2 },
        { name: 'enforce', at: uri(), line: 0 },
        { name: 'elsewhere_to_be', at: vscode.Uri.file('/etc/passwd'), line: 0 },
      )
      reading.draw(
        conversation(),
        drawn('# P\n\n`Router.handleRoute()` `goneAway` `elsewhere_to_be` `limits.enforce` `no.such` `word`'),
      )
      await until('the symbols', () => (told.reach?.symbols.length ?? 0) > 0)
      assert.deepEqual(told.reach?.symbols, [
        {
          ...{ name: 'handleRoute', exists: true, where: 'src/router.ts:3' },
          preview: lines.slice(2, 10).join('\n').trimEnd(),
        },
        { name: 'goneAway', exists: false, where: '', preview: '' },
        { name: 'elsewhere_to_be', exists: false, where: '', preview: '' },
        { name: 'enforce', exists: true, where: 'src/router.ts:1', preview: lines.slice(0, 8).join('\n').trimEnd() },
      ])
      await reading.openSymbol('handleRoute')
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, uri().fsPath)
      assert.equal(vscode.window.activeTextEditor?.selection.start.line, 2)
      await vscode.commands.executeCommand('workbench.action.closeAllEditors')
      await reading.openSymbol('goneAway')
      assert.equal(vscode.window.activeTextEditor, undefined, 'a name that was not found opens nothing')
    })

    it('are not told of where no server knows any of them', async () => {
      reading.draw(conversation(), drawn('# P\n\n`src/app.ts` `someName`'))
      await until('the reach', () => told.reach !== undefined)
      assert.deepEqual(told.reach?.symbols, [])
    })
  })

  describe('version control', () => {
    const uriOf = (path: string) => ({ fsPath: path })
    const git = (state: object) => ({
      getAPI: () => ({
        repositories: [
          { rootUri: uriOf('/elsewhere'), state: {} },
          { rootUri: uriOf('/repo'), state },
        ],
      }),
    })
    const none = { workingTreeChanges: [], indexChanges: [], mergeChanges: [] }

    it('tells changed, untracked and clean files of the repository that holds the folder', () => {
      const states = statesIn(
        git({
          ...none,
          workingTreeChanges: [{ uri: uriOf('/repo/a.ts'), status: 5 }],
          indexChanges: [{ uri: uriOf('/repo/b.ts'), status: 0 }],
          untrackedChanges: [{ uri: uriOf('/repo/c.ts'), status: 7 }],
        }),
        '/repo/packages/one',
      )
      assert.deepEqual(['/repo/a.ts', '/repo/b.ts', '/repo/c.ts', '/repo/d.ts'].map(states), [
        ...['changed', 'changed', 'untracked', 'clean'],
      ])
    })

    it('knows nothing outside of a repository, or where the extension answers otherwise', () => {
      const odd = [git(none), {}, undefined, { getAPI: () => ({ repositories: 'none' }) }, git({ changes: 1 })]
      const folders = ['/repository', '/repo', '/repo', '/repo', '/repo']
      for (const [at, exports] of odd.entries()) assert.equal(statesIn(exports, folders[at] ?? '')('/repo/a.ts'), null)
    })
  })

  describe('a plan that is being written', () => {
    const part = (argumentsDelta: string) =>
      ({ part: { type: 'tool-input-delta', id: 'c', delta: argumentsDelta } }) as const

    it('is told as far as it is there, and taken back when it is presented', async () => {
      const gate = Promise.withResolvers<void>()
      const input = JSON.stringify({ plan: PLAN })
      const each = planning([
        [
          { text: 'Let me see.' },
          { part: { type: 'tool-input-start', id: 'c', toolName: 'exit_plan_mode' } },
          part(input.slice(0, 30)),
          { gate: gate.promise },
          part(input.slice(30)),
          { part: { type: 'tool-input-end', id: 'c' } },
          { part: { type: 'tool-call', toolCallId: 'c', toolName: 'exit_plan_mode', input } },
        ],
      ])
      await each.until(() => each.events('assistant/chunk').some(({ data }) => data.chunk.type === 'tool-call-delta'))
      reading.follow(each)
      await until('what is there', () => told.of('writing').length > 0)
      assert.equal(told.of('writing').at(-1)?.text, PLAN.slice(0, 19), 'a panel that opens late has it too')
      gate.resolve()
      await each.reviewed()
      await until('its end', () => told.of('writing').at(-1)?.text === null)
      assert.ok([...each.session.from(0)].some(event => planIn(event) === PLAN))
    })

    it('is told of the changes since the last decision once it is a revision', async () => {
      const each = planning([[present()], [present(REVISED)]])
      await each.reviewed()
      await each.decide('kept', 'Per user.')
      await each.reviewed()
      const revision = each.session.state(reviewHistory).revisions.at(-1)
      assert.ok(revision)
      const { reviewId, planHash } = revision
      reading.draw(
        { ...conversation(), session: each.session },
        { reviewId, planHash, state: 'waiting', markdown: REVISED },
      )
      const [{ changes } = {}] = told.of('changes')
      assert.deepEqual([changes?.base, changes?.decided, changes?.added, changes?.removed], [1, true, 1, 1])
    })
  })
})
