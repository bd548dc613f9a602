import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { projectKey } from '../../../src/persistence/jsonl/paths.ts'
import { defaultPolicy } from '../../../src/plan/policy.ts'
import { DraftStore } from '../../../src/review/drafts/draft-store.ts'
import { newUserMessage } from '../../../src/session/messages.ts'
import { ApprovalCards } from '../../../src/vscode/conversations/approval-cards.ts'
import { Project, type ProjectParts } from '../../../src/vscode/conversations/project.ts'
import { WindowQuestions } from '../../../src/vscode/questions/window-questions.ts'
import { engineFiles } from '../../support/engine-files.ts'
import { png } from '../../support/pictures.ts'
import { modelsOf, ScriptedModel } from '../../support/scripted-model.ts'

const code = (expected: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === expected

describe('a workspace folder at work', () => {
  let home: string
  const open: Project[] = []

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'plan-mode-project-'))
  })

  afterEach(async () => {
    await Promise.all(open.splice(0).map(project => project.dispose()))
    await rm(home, { recursive: true, force: true })
  })

  async function projectAt(name: string, given: Partial<ProjectParts> = {}): Promise<Project> {
    const folder = join(home, name)
    await mkdir(folder, { recursive: true })
    const project = await Project.open({
      folder,
      name,
      root: join(home, name, '.plan-mode', 'sessions'),
      rootByUser: false,
      log: { backend: 'jsonl', compression: 'none', packChunks: true, batchWindow: 0 },
      models: { choose: () => Promise.reject(new Error('no model is asked here')) },
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
      ...given,
    })
    open.push(project)
    return project
  }

  async function converse(project: Project): Promise<{ id: string; location: string }> {
    const conversation = await project.create()
    conversation.session.append('plan/mode', { active: true })
    await conversation.flush()
    const { id, location } = conversation
    await conversation.dispose()
    return { id, location }
  }

  it('tells what breaks a rule of the log, where that was asked for, and lets it stand', async () => {
    const told: string[] = []
    const onViolation: ProjectParts['onViolation'] = ({ id }, { rule }) => told.push(`${id} ${rule}`)
    const project = await projectAt('watched', { onViolation })
    const conversation = await project.create()
    conversation.session.append('plan/mode', { active: true })
    conversation.session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    await conversation.flush()
    assert.deepEqual(told, [`${conversation.id} turns/end`])
    assert.equal(conversation.session.length, 2)
    await conversation.dispose()
  })

  it('shows the model an image that it reads, and keeps the bytes beside the log', async () => {
    const logo = png(32, 20)
    const model = new ScriptedModel([[{ call: 'read_file', args: { path: 'logo.png' } }]])
    const project = await projectAt('pictures', { models: modelsOf(model) })
    await writeFile(join(home, 'pictures', 'logo.png'), logo)
    const conversation = await project.create()
    conversation.agent.prompt(newUserMessage('Look at the logo'))
    await conversation.agent.whenIdle()
    const results = model.requests[1]?.prompt.flatMap(message => (message.role === 'tool' ? message.content : []))
    const [shown] = results?.flatMap(part => (part.type === 'tool-result' ? [part.output] : [])) ?? []
    assert.deepEqual(shown, {
      type: 'content',
      value: [
        { type: 'text', text: `logo.png is an image: image/png, 32 x 20 pixels, ${logo.length} bytes.` },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: logo }, filename: 'logo.png' },
      ],
    })
    await conversation.flush()
    const log = await readFile(conversation.location, 'utf8')
    assert.ok(!log.includes(Buffer.from(logo).toString('base64').slice(0, 40)))
    await conversation.dispose()
  })

  it('keeps its logs out of version control, also in a .plan-mode that was there already', async () => {
    await converse(await projectAt('fresh'))
    assert.equal(await readFile(join(home, 'fresh', '.plan-mode', '.gitignore'), 'utf8'), '*\n')
    await mkdir(join(home, 'cloned', '.plan-mode'), { recursive: true })
    await converse(await projectAt('cloned'))
    assert.equal(existsSync(join(home, 'cloned', '.plan-mode', '.gitignore')), false, 'what was there is left alone')
    assert.equal(await readFile(join(home, 'cloned', '.plan-mode', 'sessions', '.gitignore'), 'utf8'), '*\n')
  })

  it('lists its conversations after the folder was moved', async () => {
    const before = await projectAt('before')
    const { id } = await converse(before)
    await before.dispose()
    await rename(join(home, 'before'), join(home, 'after'))
    const after = await projectAt('after')
    assert.deepEqual(
      (await after.list()).sessions.map(({ header }) => header.id),
      [id],
    )
    const conversation = await after.open(id)
    assert.equal(conversation.mode.active, true)
    await conversation.dispose()
  })

  it('tells the conversations of folders apart that share a root', async () => {
    const root = join(home, 'shared')
    const one = await converse(await projectAt('one', { root }))
    const two = await converse(await projectAt('two', { root }))
    const [first, second] = open
    assert.deepEqual(
      (await first?.list())?.sessions.map(({ header }) => header.id),
      [one.id],
    )
    assert.deepEqual(
      (await second?.list())?.sessions.map(({ header }) => header.id),
      [two.id],
    )
  })

  for (const [what, link] of [
    ['the root', () => join(home, 'trap', '.plan-mode')],
    ['the folder of its logs', () => join(home, 'trap', '.plan-mode', 'sessions', projectKey(join(home, 'trap')))],
  ] as const) {
    it(`refuses ${what} when it is a link out of the workspace`, async () => {
      const path = link()
      await mkdir(join(home, 'elsewhere'))
      await mkdir(join(path, '..'), { recursive: true })
      await symlink(join(home, 'elsewhere'), path)
      await assert.rejects(projectAt('trap'), code('BAD_LOG_ROOT'))
    })
  }

  it('names a log that is a link or a pipe as a problem, and waits for neither', async function () {
    if (process.platform === 'win32') this.skip()
    const project = await projectAt('odd')
    const { id, location } = await converse(project)
    const logs = join(location, '..', '..')
    await mkdir(join(logs, 'linked'))
    await symlink(location, join(logs, 'linked', 'session.jsonl'))
    await mkdir(join(logs, 'pipe'))
    execFileSync('mkfifo', [join(logs, 'pipe', 'session.jsonl')])
    const { sessions, problems } = await project.list()
    assert.deepEqual(
      sessions.map(({ header }) => header.id),
      [id],
    )
    assert.deepEqual(
      problems.map(({ file }) => basename(dirname(file))),
      ['linked', 'pipe'],
    )
  })

  it('frees the log again when a conversation cannot be made of it', async () => {
    const project = await projectAt('damaged')
    const { id, location } = await converse(project)
    const spliced = { target: 'next-turn', start: 7, inserted: [] }
    const line = { type: 'agent/inbox/spliced', seq: 1, time: 1, data: spliced }
    await writeFile(location, `${await readFile(location, 'utf8')}${JSON.stringify(line)}\n`)
    await assert.rejects(project.open(id), /damaged/)
    await writeFile(location, (await readFile(location, 'utf8')).replace('"start":7', '"start":0'))
    const conversation = await project.open(id)
    assert.equal(conversation.readOnly, undefined)
    await conversation.dispose()
  })
})
