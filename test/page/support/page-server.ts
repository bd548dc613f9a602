// Serves the built pages from loopback, in the very document and policy that the extension gives them.
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pageHtml } from '../../../src/vscode/pages/page-html.ts'

const built = fileURLToPath(new URL('../../../dist/webview/', import.meta.url))
const themes = fileURLToPath(new URL('../themes/', import.meta.url))

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ttf': 'font/ttf',
}

export type PageName = 'conversation' | 'review'
export type Theme = 'dark' | 'light' | 'high-contrast' | 'high-contrast-light'

/** The address of a page under a server started by `startPageServer`. */
export function pageUrl(origin: string, page: PageName, theme: Theme): string {
  return `${origin}/${page}/${theme}`
}

/** Listens until the returned server is closed. */
export async function startPageServer(): Promise<{ readonly server: Server; readonly origin: string }> {
  let origin = ''
  const server = createServer((request, response) => {
    void answer(origin, request.url ?? '/').then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=3600' }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no TCP address')
  origin = `http://127.0.0.1:${address.port}`
  return { server, origin }
}

async function answer(origin: string, url: string): Promise<{ readonly type: string; readonly body: string | Buffer }> {
  const path = new URL(url, origin).pathname
  const page = /^\/(conversation|review)\/([a-z-]+)$/.exec(path)
  if (page?.[1] && page[2]) return { type: 'text/html; charset=utf-8', body: document(origin, page[1], page[2]) }
  const file = /^\/(built|themes)\/([\w.-]+)$/.exec(path)
  if (!file?.[2]) throw new Error(`Nothing is served at ${path}`)
  const body = await readFile((file[1] === 'built' ? built : themes) + file[2])
  return { type: types[extname(path)] ?? 'application/octet-stream', body }
}

function document(origin: string, page: string, theme: string): string {
  return pageHtml({
    title: page,
    lang: 'en',
    nonce: crypto.randomUUID(),
    cspSource: origin,
    scriptUri: `${origin}/built/${page}.js`,
    styleUris: [`${origin}/themes/${theme}.css`, `${origin}/built/${page}.css`],
    codiconUri: `${origin}/built/codicon.css`,
  })
}
