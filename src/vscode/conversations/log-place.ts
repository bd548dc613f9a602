import { realpath } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { PlanModeError } from '../../session/errors.ts'
import { isInside } from '../settings.ts'

/** A link below the folder must not carry the log out of it. @throws PlanModeError `BAD_LOG_ROOT` */
export async function confirmInside(folder: string, root: string): Promise<void> {
  const real = await realpath(folder)
  for (let path = root; isInside(folder, path); path = dirname(path)) {
    const target = await realpath(path).catch(() => undefined)
    if (target === undefined) continue
    if (isInside(real, target)) return
    throw new PlanModeError(
      'BAD_LOG_ROOT',
      `The log folder ${relative(folder, root)} leaves the workspace through a link at ${relative(folder, path)}. Remove the link, or set planMode.log.root in your user settings.`,
    )
  }
}
