// One process at a time: a lock file that names its holder.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Runs `work` while this process holds the lock file. Waits for another holder and says so once;
 * a lock whose holder is gone is taken over. The lock is given back however `work` ends.
 */
export async function withLock<T>(file: string, what: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true })
  let announced = false
  while (!(await take(file))) {
    if (!announced) console.log(`Waiting for another process that ${what} …`)
    announced = true
    await delay(500)
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const holder = Number(await readFile(file, 'utf8').catch(() => ''))
  if (holder > 0 && !isAlive(holder)) await rm(file, { force: true })
  return false
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
