// Makes characters that reorder text without being seen visible.

/** Arabic letter mark, marks, embeddings, overrides, isolates: U+061C, 200E-F, 202A-E, 2066-9. */
const bidirectional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text with each bidirectional control character shown as its code, such as ⟨U+202E⟩. */
export function visible(text: string): string {
  return text.replace(
    bidirectional,
    character => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}
