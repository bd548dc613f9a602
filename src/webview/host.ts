// The one door between a page and the extension host: what comes in is parsed here, once.
import * as z from 'zod'

/** What VS Code gives a page, once per document. */
interface VsCodeApi {
  postMessage(message: unknown): void
  getState(): unknown
  setState(state: unknown): void
}

declare function acquireVsCodeApi(): VsCodeApi

/** A page's side of the seam. `saved` and `save` keep a value with the page itself, across a reload of the window. */
export interface Host<Out, Saved> {
  post(message: Out): void
  /** Undefined when nothing was saved or what was saved has another shape. */
  saved(): Saved | undefined
  save(value: Saved): void
}

/**
 * Opens the door. Messages that don't fit `incoming` are reported on the console and dropped; the others go to the
 * receiver given to `start`, which then says `ready`, so that the host sends everything anew after each load.
 */
export function openHost<In, Out extends { readonly kind: string }, Saved>(
  incoming: z.ZodType<In>,
  savedShape: z.ZodType<Saved>,
  ready: Out,
): Host<Out, Saved> & { start(receive: (message: In) => void): void } {
  const api = acquireVsCodeApi()
  return {
    post: message => api.postMessage(message),
    saved: () => savedShape.safeParse(api.getState()).data,
    save: value => api.setState(value),
    start(receive) {
      window.addEventListener('message', event => {
        const parsed = incoming.safeParse(event.data)
        if (parsed.success) receive(parsed.data)
        else console.error(`A message of the extension was not understood: ${z.prettifyError(parsed.error)}`)
      })
      api.postMessage(ready)
    },
  }
}
