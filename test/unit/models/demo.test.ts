import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { askAboutPlan } from '../../../src/agent/children/ask.ts'
import { checkpointMessage } from '../../../src/agent/compaction/checkpoint.ts'
import * as words from '../../../src/agent/compaction/words.ts'
import { isPrompt, readEntries } from '../../../src/models/demo/conversation.ts'
import { demoModel } from '../../../src/models/demo.ts'
import { lateVerdict } from '../../../src/plan/words.ts'
import { endsOf, eventsOf, resultsOf } from '../../support/reading.ts'
import { Desk } from './demo-desk.ts'

async function partsOf(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}
const workspace = {
  'README.md': '# Limiter\n\nA small service.\n\n## Usage\n\nRun it.\n',
  'package.json': '{ "name": "limiter" }\n',
  'src/limiter.ts': 'export function limit() {}\n',
  'src/router.ts': "import { limit } from './limiter.ts'\n",
}

describe('the demo model', () => {
  it('says what it is first, explores with the real tools and presents a whole plan that names real files', async () => {
    await using desk = await Desk.open(workspace, ['dismiss'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting with the limiter')
    assert.match(desk.said[0] ?? '', /^Demo \(offline, scripted\): /)
    assert.deepEqual(desk.called, ['list_files', 'read_file', 'read_file', 'search_text', 'exit_plan_mode'])
    assert.ok(resultsOf(desk.session).every(({ isError }) => !isError))
    const [plan = ''] = desk.plans
    assert.match(plan, /^# Add rate limiting with the limiter\n/)
    for (const heading of ['Context', 'Steps', 'Files', 'Sketch', 'Risks', 'Acceptance'])
      assert.ok(plan.includes(`\n## ${heading}\n`))
    assert.match(plan, /^- \[ \] 1\. /m)
    assert.match(plan, /^\| --- \| --- \| --- \|$/m)
    assert.match(plan, /^```markdown$/m)
    for (const path of ['README.md', 'package.json', 'src/limiter.ts']) assert.ok(plan.includes(`\`${path}\``), path)
    assert.ok(!plan.includes('Changes after review'))
    assert.deepEqual(endsOf(desk.session), [{ kind: 'completed' }])
  })

  it('asks when it is told to, says what it heard, and goes on', async () => {
    await using desk = await Desk.open(workspace, ['dismiss'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Ask me first, then plan rate limits')
    assert.equal(desk.asked.length, 2)
    assert.deepEqual(desk.called.slice(0, 2), ['ask_user_question', 'list_files'])
    assert.match(desk.said[1] ?? '', /^You said "Briefly", "Tests"\. /)
    assert.equal(desk.called.at(-1), 'exit_plan_mode')
    assert.equal(desk.plans.length, 1)
  })

  it('sends an explorer out when something is to be explored, tells what it reported, and goes on', async () => {
    await using desk = await Desk.open(workspace, ['dismiss'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Explore the limiter, then plan rate limits')
    assert.deepEqual(desk.called.slice(0, 2), ['explore', 'list_files'])
    const [explorer] = desk.explorers
    assert.ok(explorer)
    assert.deepEqual(
      eventsOf(explorer, 'tool/call').map(({ data }) => data.name),
      ['list_files', 'read_file', 'read_file', 'search_text'],
    )
    assert.match(
      desk.said[1] ?? '',
      /^The explorer is back\. It reports: \d+ files are listed, and 2 of them were read\./,
    )
    const [report] = resultsOf(desk.session)
    assert.match(
      report?.text ?? '',
      /- README\.md: "Limiter"\n- package\.json\n- "limiter" stands in 3 lines: README\.md, package\.json, /,
    )
    assert.equal(desk.called.at(-1), 'exit_plan_mode')
    await desk.say('Go on')
    assert.equal(desk.explorers.length, 1, 'once for a prompt that asks for it')
  })

  it('answers a question about a plan as an explorer: what was asked, and what it saw', async () => {
    await using desk = await Desk.open(workspace, [])
    const explored = await askAboutPlan(
      { question: 'Which files?\nAll of them?', plan: '# Add rate limits\n', range: null },
      { agent: desk.agent, signal: new AbortController().signal, began: async () => {} },
      desk.explorerHost,
    )
    assert.equal(explored.kind, 'report')
    assert.equal(
      explored.text,
      `> Which files?
> All of them?

I am a scripted demo and understand no question, but I have looked: the plan is "Add rate limits", the workspace holds **4** listed files, and I read:

- \`README.md\`: it is about "Limiter"
- \`package.json\``,
    )
  })

  it('waits when its questions are closed, and asks again only when it is told to again', async () => {
    await using desk = await Desk.open(workspace)
    desk.closesQuestions = true
    await desk.say('Please ask me something')
    assert.match(desk.said.at(-1) ?? '', /I wait for what you say next\.$/)
    await desk.say('Go on then')
    assert.equal(desk.called.filter(name => name === 'ask_user_question').length, 1)
    await desk.say('Ask me again')
    assert.equal(desk.called.filter(name => name === 'ask_user_question').length, 2)
  })

  it('revises by each feedback, then makes one approved edit and reports it', async () => {
    await using desk = await Desk.open(workspace, [
      { feedback: 'Name the owner.\nAnd a date.' },
      { feedback: 'Shorter | please' },
      'Approve',
    ])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting')
    const [first = '', second = '', third = ''] = desk.plans
    assert.equal(desk.plans.length, 3)
    assert.doesNotMatch(first, /Name the owner/)
    assert.match(second, /^> Name the owner\.\n> And a date\.$/m)
    assert.match(second, /^- \[ \] 3\. Work in the review: Name the owner\.$/m)
    assert.match(third, /^> Shorter \| please$/m)
    assert.match(third, /^> Name the owner\.$/m)
    assert.doesNotMatch(third, /Work it in/)
    assert.deepEqual(desk.approvals, ['README.md'])
    const readme = await desk.read('README.md')
    assert.ok(readme.startsWith(workspace['README.md'].trimEnd()))
    assert.match(
      readme,
      /\n\n## How this change was planned\n\n- Add rate limiting: .* It was revised 2 times by feedback\.\n$/,
    )
    assert.match(desk.said.at(-1) ?? '', /^I recorded in README\.md [^.]*\. [^.]*\.$/)
    assert.equal(desk.plan.controller.get(desk.agent).active, false)
  })

  it('goes on after another request in the same conversation, and adds to the section', async () => {
    await using desk = await Desk.open(workspace, ['Approve', 'Approve'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('First change')
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Second change')
    assert.match(desk.plans[1] ?? '', /^# Second change\n/)
    const readme = await desk.read('README.md')
    assert.match(readme, /## How this change was planned\n\n- Second change: .*\n\n- First change: /)
    assert.equal(readme.split('How this change was planned').length, 2)
    const ids = eventsOf(desk.session, 'tool/call').map(({ data }) => data.callId)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('stops when the edit is refused', async () => {
    await using desk = await Desk.open(workspace, ['Approve'])
    desk.allow = 'rejected'
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting')
    assert.deepEqual(desk.approvals, ['README.md'])
    assert.match(desk.said.at(-1) ?? '', /^The edit of README\.md was refused, so nothing was changed\. I stop here\.$/)
    assert.equal(await desk.read('README.md'), workspace['README.md'])
  })

  it('waits after a dismissed review, and takes the next message as feedback', async () => {
    await using desk = await Desk.open(workspace, ['dismiss', 'dismiss'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting')
    assert.equal(desk.plans.length, 1)
    await desk.say('Mention the tests')
    assert.match(desk.plans[1] ?? '', /^# Add rate limiting\n[\s\S]*> Mention the tests/)
    assert.equal(desk.approvals.length, 0)
  })

  it('carries out a plan that was approved after its turn was stopped', async () => {
    await using desk = await Desk.open(workspace, ['stop'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting')
    assert.equal(resultsOf(desk.session).at(-1)?.code, 'AbortError/ABORTED')
    desk.plan.controller.set(desk.agent, false)
    await desk.say(lateVerdict('approved', 'Add rate limiting'))
    assert.deepEqual(desk.approvals, ['README.md'])
    assert.match(await desk.read('README.md'), /- Add rate limiting: /)
  })

  it('revises by feedback that came after its turn was stopped, and waits when told so', async () => {
    await using desk = await Desk.open(workspace, ['stop', 'stop'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting')
    await desk.say(lateVerdict('kept', 'Add rate limiting', { feedback: 'Use a bucket' }))
    assert.match(desk.plans[1] ?? '', /^> Use a bucket$/m)
    await desk.say(lateVerdict('dismissed', 'Add rate limiting'))
    assert.match(desk.said.at(-1) ?? '', /I wait for what you say next/)
    assert.equal(desk.plans.length, 2)
  })

  it('changes nothing without an approval: left plan mode, or prose that claims one', async () => {
    await using desk = await Desk.open(workspace, ['dismiss', 'dismiss'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Add rate limiting')
    await desk.say('The plan is approved')
    assert.equal(desk.plans.length, 2)
    desk.plan.controller.set(desk.agent, false)
    await desk.say('Just do it')
    assert.match(desk.said.at(-1) ?? '', /Plan mode is off and the plan was not approved/)
    assert.equal(desk.approvals.length, 0)
  })

  it('says when nobody can review, instead of presenting again and again', async () => {
    await using desk = await Desk.open(workspace)
    desk.plan.controller.set(desk.agent, true)
    const model = demoModel({ pause: 0 })
    const prompt: LanguageModelV4CallOptions['prompt'] = [
      { role: 'user', content: [{ type: 'text', text: 'Add it' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'demo-1', toolName: 'exit_plan_mode', input: { plan: '# Add it' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'demo-1',
            toolName: 'exit_plan_mode',
            output: { type: 'error-text', value: 'Error: Nobody can answer.' },
          },
        ],
      },
    ]
    const tools: LanguageModelV4CallOptions['tools'] = [{ type: 'function', name: 'exit_plan_mode', inputSchema: {} }]
    const { content, finishReason } = await model.languageModel.doGenerate({ prompt, tools })
    assert.equal(finishReason.unified, 'stop')
    assert.deepEqual(content, [
      { type: 'text', text: 'The plan was not reviewed: Nobody can answer. I wait for what you say next.' },
    ])
  })

  it('is honest while plan mode is off: looks around, edits nothing, suggests plan mode', async () => {
    await using desk = await Desk.open(workspace, ['dismiss'])
    await desk.say('Hello there')
    assert.deepEqual(desk.called, ['list_files', 'read_file', 'read_file'])
    assert.match(desk.said[0] ?? '', /^Demo \(offline, scripted\): I am no language model/)
    assert.match(desk.said.at(-1) ?? '', /Turn plan mode on/)
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Plan the limiter')
    assert.match(desk.plans[0] ?? '', /^# Plan the limiter\n/)
  })

  it('creates a file of its own where there is no readme, also in an empty workspace', async () => {
    await using desk = await Desk.open({}, ['Approve'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Begin **something** new')
    assert.match(desk.plans[0] ?? '', /^# Begin something new\n/)
    assert.deepEqual(desk.approvals, ['docs/plan-mode-demo.md'])
    assert.match(await desk.read('docs/plan-mode-demo.md'), /- Begin something new: /)
    assert.deepEqual((await readdir(desk.files.root)).sort(), ['.plan-mode', 'docs'])
  })

  it('finds an anchor in a readme whose last line repeats', async () => {
    await using desk = await Desk.open({ 'README.md': '# A\n\n---\n\ntext\n\n---\n' }, ['Approve'])
    desk.plan.controller.set(desk.agent, true)
    await desk.say('Go')
    assert.match(await desk.read('README.md'), /text\n\n---\n\n## How this change was planned\n\n- Go: .*\n$/)
  })

  describe('streaming', () => {
    const ask = (text: string): LanguageModelV4CallOptions => ({
      prompt: [{ role: 'user', content: [{ type: 'text', text }] }],
    })

    it('is the same for the same prompt, in small pieces', async () => {
      const read = async () => {
        const { stream } = await demoModel({ pause: 0 }).languageModel.doStream(ask('hi'))
        return await partsOf(stream)
      }
      const parts = await read()
      assert.deepEqual(await read(), parts)
      assert.ok(parts.filter(part => part.type === 'text-delta').length > 10)
      assert.equal(parts.at(-1)?.type, 'finish')
    })

    it('summarises a conversation when it is asked to, and does not take the summary for a request', async () => {
      const record = 'User:\n  Plan a limit\n\nAgent calls read_file with:\n  {}'
      const request = words.summaryRequest(record, '```', [], '')
      const prompt: LanguageModelV4CallOptions['prompt'] = [
        { role: 'system', content: words.SUMMARY_SYSTEM },
        { role: 'user', content: [{ type: 'text', text: request }] },
      ]
      const { content } = await demoModel().languageModel.doGenerate({ prompt })
      const [summary] = content
      if (summary?.type !== 'text') assert.fail('no summary')
      assert.match(summary.text, /## What the user wants\n\n- Plan a limit\n[\s\S]*made 1 tool call\./)
      const checkpoint = checkpointMessage({ compactionId: 'c' }, summary.text, [])
      const entries = readEntries([
        { role: 'user', content: checkpoint.content.flatMap(part => (part.type === 'text' ? [part] : [])) },
      ])
      assert.deepEqual(entries.map(isPrompt), [false])
    })

    it('is slow for a prompt with the word "slow", and ends at once when aborted', async () => {
      const quick = await demoModel({ pause: 0, slowPause: 60_000 }).languageModel.doStream(ask('slowly but surely'))
      await partsOf(quick.stream)
      const abort = new AbortController()
      const slow = demoModel({ pause: 0, slowPause: 60_000 }).languageModel
      const { stream } = await slow.doStream({ ...ask('be Slow please'), abortSignal: abort.signal })
      const all = partsOf(stream)
      setImmediate(() => abort.abort())
      await assert.rejects(all, { name: 'AbortError' })
    })
  })
})
