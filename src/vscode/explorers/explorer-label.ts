import type { Session } from '../../session/session.ts'
import { type SubagentDescriptor, subagentDescriptor } from '../../session/subagent.ts'

/** What a delegated session is: the first descriptor of its own counts; undefined when this build cannot read it. */
export function descriptorOf(session: Session): SubagentDescriptor | undefined {
  for (const event of session.from(session.header.seedLength ?? 0)) {
    if (event.type === 'subagent/descriptor') return subagentDescriptor.safeParse(event.data).data
  }
  return undefined
}

export function explorerLabel(session: Session): string | undefined {
  return descriptorOf(session)?.label
}
