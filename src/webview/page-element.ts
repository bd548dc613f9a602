// The ground of the page's components: drawn in the document itself, so that one style sheet and one set of ids serve.
import { LitElement } from 'lit'

/** A component without a shadow root. */
export abstract class PageElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this
  }
}
