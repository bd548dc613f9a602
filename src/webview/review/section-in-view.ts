// Which part of a drawn plan stands at a height of the window.

/**
 * The block of the last heading at or above `top` (px of the window), -1 above the first. Asks for the places of few
 * elements: one in a chunk out of view would have to be laid out for it.
 */
export function sectionAt(view: Element, top: number): number {
  const chunks = view.children
  const low = chunkAt(view, top)
  const inside = [...(chunks[low]?.querySelectorAll(':scope > [id^=section-]') ?? [])]
  const at = inside.findLast(heading => heading.getBoundingClientRect().top <= top)
  for (let before = low - 1; at === undefined && before >= 0; before--) {
    const last = chunks[before]?.querySelector(':scope > [id^=section-]:nth-last-child(1 of [id^=section-])')
    if (last) return numberOf(last)
  }
  return at === undefined ? -1 : numberOf(at)
}

/** The first block that reaches below `top` (px of the window). */
export function blockAt(view: Element, top: number): Element | undefined {
  for (let at = chunkAt(view, top); at < view.childElementCount; at++) {
    const below = [...(view.children[at]?.children ?? [])].find(
      block => block.localName !== 'change-mark' && block.getBoundingClientRect().bottom > top,
    )
    if (below) return below
  }
  return undefined
}

/** The last chunk that begins at or above `top`, else the first. */
function chunkAt(view: Element, top: number): number {
  let [low, high] = [0, Math.max(0, view.childElementCount - 1)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((view.children[middle]?.getBoundingClientRect().top ?? 0) <= top) low = middle
    else high = middle - 1
  }
  return low
}

function numberOf(heading: Element): number {
  return Number(heading.id.slice('section-'.length)) - 1
}
