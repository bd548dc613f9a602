// The last door before the document: only the elements and attributes that our own renderer writes pass.
import DOMPurify from 'dompurify'

const elements = [
  ...['a', 'blockquote', 'br', 'code', 'del', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li', 'ol', 'p'],
  ...['pre', 's', 'span', 'strong', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
]
const attributes = [
  'aria-label',
  'class',
  'data-lines',
  'data-note',
  'data-open',
  'data-target',
  'role',
  'scope',
  'start',
  'tabindex',
  'title',
]

/** HTML to nodes. No address, style, id, name, form, frame, image or handler survives. */
export function sanitize(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: elements,
    ALLOWED_ATTR: attributes,
    ALLOW_ARIA_ATTR: false,
    ALLOW_DATA_ATTR: false,
    // None of ours is an address that anything loads or follows.
    ADD_URI_SAFE_ATTR: attributes,
    SANITIZE_DOM: true,
    RETURN_DOM_FRAGMENT: true,
  })
}
