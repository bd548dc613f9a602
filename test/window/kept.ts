// What VS Code's workbench has kept of a window, as it would be found after a reload.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Window } from './driver.ts'
import { storedLog } from './logs.ts'
import { until } from './until.ts'

/** Resolves when the browser has stored the text; VS Code puts it off for a moment. */
export async function keptByWindow({ page }: Window, text: string): Promise<void> {
  await until(`the window to keep "${text}"`, async () =>
    String(await page.evaluate(storedTexts)).includes(text) ? true : undefined,
  )
}

/** Resolves when the window would show the conversation begun last again, also when its page went without a word. */
export async function keptAsShown(window: Window): Promise<void> {
  const log = await storedLog(window)
  await keptByWindow(window, log?.header.id ?? 'no conversation')
}

/** Resolves when the unsent review on disk holds the text. */
export async function keptOnDisk({ data }: Window, text: string): Promise<void> {
  await until(`the disk to keep "${text}"`, async () => ((await draftTexts(data)).includes(text) ? true : undefined))
}

async function draftTexts(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true })
  const drafts = names.filter(name => /[\\/]reviews[\\/]\w+\.json$/.test(name))
  // A file may be replaced or removed between the two looks.
  return (await Promise.all(drafts.map(name => readFile(join(folder, name), 'utf8').catch(() => '')))).join('\n')
}

/** Everything in the databases in which VS Code's workbench keeps its state. Runs in the page. */
const storedTexts = `(async () => {
  const finished = request => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  const texts = []
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db')) continue
    const database = await finished(indexedDB.open(name))
    for (const store of database.objectStoreNames) {
      texts.push(...(await finished(database.transaction(store).objectStore(store).getAll())))
    }
    database.close()
  }
  return texts.join('\\n')
})()`
