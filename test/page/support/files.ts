// Files that a person pastes or drops.

export interface Given {
  readonly name: string
  readonly base64: string
  readonly words?: string
}

/** Hands files to an element as a paste or as a drop. Runs in the page. */
export const hand = (element: Element, { how, files }: { how: string; files: readonly Given[] }): boolean => {
  const data = new DataTransfer()
  for (const { name, base64, words } of files) {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    data.items.add(new File([bytes], name, { type: 'image/png' }))
    if (words !== undefined) data.setData('text/plain', words)
  }
  const options = { bubbles: true, cancelable: true }
  return !element.dispatchEvent(
    how === 'paste'
      ? new ClipboardEvent('paste', { ...options, clipboardData: data })
      : new DragEvent(how, { ...options, dataTransfer: data }),
  )
}
