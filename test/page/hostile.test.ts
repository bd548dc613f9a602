// Hostile plans: in both pages nothing runs, nothing loads, nothing moves, and the page stays usable.
import assert from 'node:assert/strict'
import { renderMermaidSVG } from 'beautiful-mermaid'
import { hostilePictures, hostilePlans } from './support/hostile.ts'
import { type Opened, PageStage, settled, until } from './support/open-page.ts'
import { conversation, review } from './support/samples.ts'

/** Elements and attributes that no rendered text may hold. */
const forbidden = `(root => {
  const elements = 'script,style,link,meta,base,iframe,frame,object,embed,applet,form,input,button,select,textarea,img,picture,svg,math,video,audio,source,template,details,noscript'
  const found = [...root.querySelectorAll(elements)].map(element => element.localName)
  for (const element of root.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (/^on|^(style|src|srcset|href|xlink:href|action|formaction|name|srcdoc)$/i.test(name)) found.push(element.localName + '@' + name)
      if (name === 'id' && !/^section-\\d+$/.test(value)) found.push('#' + value)
    }
  }
  return found
})(document.querySelector('markdown-view'))`

function pictureOf(text: string): string | null {
  try {
    return renderMermaidSVG(text)
  } catch {
    return null
  }
}

describe('hostile plans', function () {
  this.timeout(30_000)
  let stage: PageStage
  let opened: Opened
  before(async () => {
    stage = await PageStage.start()
  })
  after(() => stage.close())
  afterEach(() => stage.clear())

  async function judge(): Promise<void> {
    await until(
      () => opened.page.evaluate(`!document.querySelector('markdown-view').hasAttribute('aria-busy')`),
      'drawing',
    )
    assert.deepEqual(await opened.page.evaluate(forbidden), [])
    for (const link of await opened.page.locator('markdown-view a').all()) await link.dispatchEvent('click')
    await settled(opened.page)
    assert.equal(await opened.page.evaluate('window.owned'), undefined)
    assert.deepEqual(await opened.faults(), [])
    for (const { href } of await opened.posted('openLink')) assert.match(String(href), /^(?:https?:\/\/|mailto:)/)
    for (const { path } of await opened.posted('openFile')) {
      assert.doesNotMatch(String(path), /^[/\\~]|^[a-z][a-z0-9+.-]*:|(?:^|\/)\.\.(?:\/|$)/i)
    }
  }

  for (const { name, markdown } of hostilePlans) {
    it(`${name}: in the review`, async () => {
      opened = await stage.open('review', { width: 800, height: 600 })
      await opened.send(review({ title: markdown.slice(0, 300), markdown: `# Plan\n\n${markdown}` }))
      await judge()
      await opened.page.locator('#approve').click({ timeout: 3000 })
      assert.equal((await opened.posted('decide')).length, 1)
    })
  }

  it('pictures of diagrams, whatever drew them', async () => {
    opened = await stage.open('review', { width: 800, height: 600 })
    const texts = hostilePictures.map((_, index) => `graph TD\n  A${index}`)
    await opened.send(
      review({ markdown: `# P\n\n${texts.map(text => `\`\`\`mermaid\n${text}\n\`\`\``).join('\n\n')}` }),
      ...hostilePictures.map((picture, index) => ({ kind: 'diagram', text: `${texts[index]}\n`, picture }) as const),
    )
    const found: string[] = await opened.page.evaluate(`
      [...document.querySelectorAll('.diagram')].flatMap(({ shadowRoot }) => [...shadowRoot.querySelectorAll('svg, svg *')])
        .flatMap(element => [element.localName, ...[...element.attributes].map(({ name, value }) => name + '=' + value)])`)
    const allowed =
      /^(?:svg|g|defs|marker|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|(?:fill|stroke|marker-end|marker-start)=(?:none|var\(--_[a-z-]+\)|url\(#[\w-]+\))|(?:viewBox|width|height|x|y|d|points|font-size|id|role|aria-label|transform)=[^:&<]*)$/
    assert.deepEqual(
      found.filter(each => !allowed.test(each)),
      [],
    )
    assert.ok(found.includes('text'), 'something is drawn')
    await judge()
  })

  it('the diagrams of a hostile plan, as they are really drawn', async () => {
    opened = await stage.open('review', { width: 800, height: 600 })
    const markdown = hostilePlans.find(({ name }) => name === 'mermaid')?.markdown ?? ''
    await opened.send(review({ markdown: `# P\n\n${markdown}` }))
    const asked = await opened.waitForPosted('drawDiagram', 2)
    for (const { text } of asked) {
      if (typeof text !== 'string' || text.length > 2_000) continue
      await opened.send({ kind: 'diagram', text, picture: pictureOf(text) })
    }
    assert.ok((await opened.page.locator('.diagram svg').count()) > 0, 'something is drawn')
    assert.equal(await opened.page.locator('.diagram svg :is(a, image, style, script, foreignObject)').count(), 0)
    await judge()
  })

  it('all of them, in every entry of the conversation', async () => {
    opened = await stage.open('conversation')
    const short = hostilePlans.filter(({ markdown }) => markdown.length < 2000)
    await opened.send(conversation({ title: short[0]?.markdown ?? '' }), {
      kind: 'transcript',
      items: short.flatMap(({ markdown }, index) => [
        { kind: 'user', id: `u${index}`, text: markdown },
        { kind: 'reasoning', id: `r${index}`, text: markdown, streaming: false },
        { kind: 'compaction', id: `s${index}`, status: 'done', text: markdown, messages: 2, tokens: 9 },
        { kind: 'compaction', id: `f${index}`, status: 'failed', text: markdown, messages: 0, tokens: 0 },
        { kind: 'notice', id: `n${index}`, level: 'error', text: markdown },
        { kind: 'command', id: `c${index}`, text: markdown, status: 'error', result: markdown },
        {
          kind: 'tool',
          id: `t${index}`,
          name: markdown,
          title: markdown,
          status: 'failed',
          input: markdown,
          output: markdown,
        },
        {
          kind: 'plan',
          id: `p${index}`,
          reviewId: 'r',
          title: markdown,
          excerpt: markdown,
          revision: 1,
          state: 'kept',
          feedback: markdown,
        },
        { kind: 'approval', id: `a${index}`, title: markdown, warning: markdown, state: 'waiting' },
        { kind: 'assistant', id: `m${index}`, text: markdown, streaming: false, interrupted: false },
      ]),
    })
    for (const fold of await opened.page.locator('.fold').all()) await fold.dispatchEvent('click')
    await judge()
    const views: number = await opened.page.evaluate(`document.querySelectorAll('markdown-view').length`)
    assert.equal(views, 2 * short.length, 'answers and summaries')
  })

  it('streams a hostile text cut at every place', async () => {
    opened = await stage.open('conversation')
    await opened.send(conversation(), {
      kind: 'transcript',
      items: [{ kind: 'assistant', id: 'a', text: '', streaming: true, interrupted: false }],
    })
    const text = `<img src=x onerror="window.owned=1">\n\n[a](javascript:window.owned=1) ![b](https://evil.example/b.png)`
    for (const character of text)
      await opened.page.evaluate(data => window.postMessage(data), { kind: 'delta', id: 'a', text: character })
    await settled(opened.page)
    await judge()
  })

  it('shows refused addresses as text, images as words, and reordering characters as codes', async () => {
    opened = await stage.open('review')
    await opened.send(
      review({
        markdown: '# P\n\n[label](javascript:x) ![alt](https://evil.example/i.png) a\u202eb `c\u2066d`\n\n<b>raw</b>',
      }),
    )
    const shown = await opened.page.locator('markdown-view').textContent()
    assert.match(shown ?? '', /label Image: alt \(https:\/\/evil\.example\/i\.png\) a⟨U\+202E⟩b c⟨U\+2066⟩d/)
    assert.match(shown ?? '', /<b>raw<\/b>/)
    assert.equal(await opened.page.getByRole('link').count(), 0)
    assert.equal(await opened.page.locator('a.dead').getAttribute('title'), 'javascript:x')
  })

  it('lives under a policy that runs and loads nothing else', async () => {
    opened = await stage.open('review')
    await opened.send(review())
    const policy: string = await opened.page.evaluate(
      `document.querySelector('meta[http-equiv=Content-Security-Policy]').content`,
    )
    assert.match(policy, /default-src 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
    const tried: string[] = await opened.page.evaluate(`(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.owned = 1'
      document.body.append(script)
      const image = document.createElement('img')
      image.src = 'https://evil.example/i.png'
      document.body.append(image)
      document.body.setAttribute('style', 'display: none')
      await fetch('https://evil.example/').catch(() => undefined)
      await new Promise(resolve => setTimeout(resolve, 50))
      return violations.map(violation => violation.split(' ')[0])
    })()`)
    assert.equal(await opened.page.evaluate('window.owned'), undefined)
    assert.deepEqual([...new Set(tried)].sort(), ['connect-src', 'img-src', 'script-src-elem', 'style-src-attr'])
  })
})
