// Which section of a drawn plan stands at a height of the window.

/**
 * The block of the last heading at or above `top` (px of the window), -1 above the first. Asks for the places of few
 * elements: one in a chunk out of view would have to be laid out for it.
 */
export function sectionAt(view: Element, top: number): number {
  const chunks = view.children
  let [low, high] = [0, chunks.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((chunks[middle]?.getBoundingClientRect().top ?? 0) <= top) low = middle
    else high = middle - 1
  }
  const inside = [...(chunks[low]?.querySelectorAll(':scope > [id^=section-]') ?? [])]
  const at = inside.findLast(heading => heading.getBoundingClientRect().top <= top)
  for (let before = low - 1; at === undefined && before >= 0; before--) {
    const last = chunks[before]?.querySelector(':scope > [id^=section-]:nth-last-child(1 of [id^=section-])')
    if (last) return numberOf(last)
  }
  return at === undefined ? -1 : numberOf(at)
}

function numberOf(heading: Element): number {
  return Number(heading.id.slice('section-'.length)) - 1
}
