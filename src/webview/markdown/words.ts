// What rendered Markdown says of its own.
export const markdownWords = {
  image: (description: string, address: string): string =>
    description ? `Image: ${description} (${address})` : `Image: ${address}`,
  done: 'Done',
  notDone: 'Not done',
  openFile: (path: string): string => `Open ${path}`,
  note: (number: number): string => `Footnote ${number}`,
  table: 'Table',
  code: 'Code',
} as const
