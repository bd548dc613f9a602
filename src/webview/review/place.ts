// Where the reader is in a plan, in a way that survives a revision: the heading last passed and the way below it.

export interface Place {
  readonly heading: string | null
  readonly below: number
}

const headings = 'h1, h2, h3, h4, h5, h6'

/** The place at the top edge of the scrolled area. */
export function placeIn(area: HTMLElement | null): Place | undefined {
  if (!area || area.scrollTop === 0) return undefined
  const top = area.getBoundingClientRect().top
  let place: Place = { heading: null, below: area.scrollTop }
  for (const heading of area.querySelectorAll(headings)) {
    const below = top - heading.getBoundingClientRect().top
    if (below < 0) break
    place = { heading: heading.textContent, below }
  }
  return place
}

/** Scrolls to the same place of the text that is there now; a heading that is gone leaves the offset as it was. */
export function restorePlace(area: HTMLElement | null, place: Place): void {
  if (!area) return
  const view = area.querySelector('markdown-view')
  const restore = (): void => {
    const heading = [...area.querySelectorAll(headings)].find(found => found.textContent === place.heading)
    if (heading) area.scrollTop += heading.getBoundingClientRect().top - area.getBoundingClientRect().top + place.below
  }
  void view?.updateComplete.then(() => {
    restore()
    if (view.hasAttribute('aria-busy')) view.addEventListener('drawn', restore, { once: true })
  })
}
