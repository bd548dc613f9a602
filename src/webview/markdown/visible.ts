// Makes characters that reorder or hide text without being seen visible.

/** Arabic letter mark, marks, embeddings, overrides, isolates: U+061C, 200E-F, 202A-E, 2066-9. */
const bidirectional = '\\u{61c}\\u{200e}\\u{200f}\\u{202a}-\\u{202e}\\u{2066}-\\u{2069}'
/** Characters without a width that no emoji or script needs inside a word, among them the tags, which can spell words. */
const unseen = '\\u{200b}\\u{2060}-\\u{2064}\\u{e0000}-\\u{e007f}\\u{e0100}-\\u{e01ef}'
const hidden = new RegExp(`[${bidirectional}${unseen}]`, 'gu')

/** The text with each such character shown as its code, such as ⟨U+202E⟩. */
export function visible(text: string): string {
  return text.replace(hidden, character => {
    const code = character.codePointAt(0) ?? 0
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}
