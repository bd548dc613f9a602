import { ProjectionRegistry } from '../../session/projection-registry.ts'
import { title } from '../../session/title.ts'
import { todo } from '../../session/todo.ts'
import { turnBoundary } from '../../session/turns.ts'
import { compactions } from '../compaction/bracket.ts'
import { loggedPolicy } from '../desks/approval-desk.ts'
import { picturesLogged, requestState } from '../request/request.ts'
import { inbox } from './inbox.ts'

/** The registry that a runtime begins with: what the loop, the shell and the desks read. Rooms above add theirs. */
export function agentProjections(): ProjectionRegistry {
  const projections = new ProjectionRegistry()
  projections.register(turnBoundary)
  projections.register(inbox)
  projections.register(title)
  projections.register(todo)
  projections.register(requestState)
  projections.register(picturesLogged)
  projections.register(loggedPolicy)
  projections.register(compactions)
  return projections
}
