// The built extension as a user installs it: what the package holds, put into an extensions folder.
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './paths.ts'

// The same as what .vscodeignore lets through.
const packaged = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'dist', 'media']

/** Copies the extension from `source` (this clone's by default) into `folder`; an older copy is replaced. */
export async function installExtension(folder: string, source = root): Promise<void> {
  const { publisher, name, version, main } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
  if (!existsSync(join(source, main))) throw new Error(`${main} is not there. Run "npm run build" first.`)
  const target = join(folder, `${publisher}.${name}-${version}`)
  await rm(target, { recursive: true, force: true })
  await mkdir(target, { recursive: true })
  for (const entry of packaged) {
    if (existsSync(join(source, entry))) await cp(join(source, entry), join(target, entry), { recursive: true })
  }
}
