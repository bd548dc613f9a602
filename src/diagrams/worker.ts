// The thread in which diagrams are drawn. Texts come in, pictures go out as texts; it knows no file and no network.
import { parentPort } from 'node:worker_threads'
import { renderMermaidSVG } from 'beautiful-mermaid'

const port = parentPort
if (port === null) throw new Error('This file runs as a worker only.')

port.on('message', (text: string) => port.postMessage(drawn(text)))
port.postMessage('ready')

/** Null for a text that is no diagram of a kind that can be drawn. */
function drawn(text: string): string | null {
  try {
    return renderMermaidSVG(text)
  } catch {
    return null
  }
}
