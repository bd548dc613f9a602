import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { z } from 'zod'
import { PlanModeError } from '../../session/errors.ts'
import type { EventData, SessionEvent } from '../../session/events.ts'
import { canonical } from '../../session/json.ts'
import { allImagesOf, type Block } from '../../session/messages.ts'
import type { Projection } from '../../session/projections.ts'
import type { EpochHeader } from '../../session/request-header.ts'
import type { Session } from '../../session/session.ts'
import { deriveMessages } from '../../session/surface.ts'
import type { Attachments, ImageBytes } from '../attachments.ts'
import type { TurnWork } from '../loop/work.ts'
import type { ModelRoute } from '../model.ts'
import type { Tool } from '../tool.ts'
import { toPrompt } from './prompt-messages.ts'

/** What the model was last told beside the messages: the last `request/header` and `request/context`. */
export interface RequestState {
  readonly header: EpochHeader | undefined
  readonly context: EventData<'request/context'> | undefined
}

export const requestState: Projection<RequestState> = {
  key: 'request',
  version: 1,
  owner: 'The agent runtime (agentProjections)',
  initial: { header: undefined, context: undefined },
  types: ['request/header', 'request/context'],
  apply(state: RequestState, event: SessionEvent): RequestState {
    if (event.type === 'request/header') return { ...state, header: event.data.header }
    if (event.type === 'request/context') return { ...state, context: event.data }
    return state
  },
}

/** Whether a picture was ever logged; most sessions hold none and are spared the search. */
export const picturesLogged: Projection<boolean> = {
  key: 'pictures',
  version: 2,
  owner: 'The agent runtime (agentProjections)',
  initial: false,
  stored: z.boolean(),
  types: ['user/message', 'tool/result'],
  apply(state: boolean, event: SessionEvent): boolean {
    switch (event.type) {
      case 'user/message':
        return state || hasPicture(event.data.content)
      case 'tool/result':
        return state || hasPicture(event.data.message.content)
      default:
        return state
    }
  },
}

/** Every message of a log that is read passes here, so it makes no list of them. */
function hasPicture(content: readonly Block[]): boolean {
  for (const block of content) {
    if (block.type === 'image' || (block.type === 'tool-result' && hasPicture(block.content))) return true
  }
  return false
}

/** The header of a step's request; `system` and `tools` are absent when empty. */
export function headerOf(route: ModelRoute, system: string | undefined, tools: readonly Tool[]): EpochHeader {
  return {
    config: {
      provider: route.provider,
      model: route.model,
      ...(route.maxTokens === undefined ? {} : { maxTokens: route.maxTokens }),
    },
    ...(system === undefined ? {} : { system }),
    ...(tools.length === 0 ? {} : { tools: tools.map(declaration) }),
  }
}

/** Logs `request/header` (first request of an agent, or changed) and `request/context` (changed). */
export function logRequest(work: TurnWork, header: EpochHeader, route: ModelRoute): void {
  const last = work.session.state(requestState)
  if (last.header === undefined) work.append('request/header', { header, reason: 'initial' })
  else if (!work.life.headerLogged) work.append('request/header', { header, reason: 'resume' })
  else if (canonical(last.header) !== canonical(header)) work.append('request/header', { header, reason: 'change' })
  work.life.headerLogged = true
  const context = {
    provider: route.provider,
    model: route.model,
    ...(route.contextWindow === undefined ? {} : { contextWindow: route.contextWindow }),
    ...(route.images === false ? { images: false as const } : {}),
  }
  if (canonical(last.context) !== canonical(context)) work.append('request/context', context)
}

/**
 * The bytes of every picture that a request of this log shows; undefined when none are to be shown: the model takes no
 * images, or nothing keeps any.
 */
export async function imagesFor(session: Session, store: Attachments | undefined): Promise<ImageBytes | undefined> {
  if (store === undefined || session.state(requestState).context?.images === false) return undefined
  const bytes = new Map<string, Uint8Array | undefined>()
  const pictures = session.state(picturesLogged) ? deriveMessages(session).flatMap(allImagesOf) : []
  for (const attachment of pictures) {
    const { attachmentId } = attachment
    if (!bytes.has(attachmentId)) bytes.set(attachmentId, await store.read(attachment))
  }
  return ({ attachmentId }) => bytes.get(attachmentId)
}

/**
 * The request that this log asks for: a pure function of the events and of the bytes they name, so that everything a
 * model sees is logged. Without `images` pictures are named in words.
 * @throws PlanModeError `NO_REQUEST` when the log holds no `request/header`.
 */
export function requestOf(session: Session, images?: ImageBytes): LanguageModelV4CallOptions {
  const { header } = session.state(requestState)
  if (header === undefined) throw new PlanModeError('NO_REQUEST', `Session ${session.id} holds no request header.`)
  const { maxTokens, temperature, stop } = header.config
  return {
    prompt: toPrompt(header.system, deriveMessages(session), images),
    ...(header.tools === undefined ? {} : { tools: header.tools.map(functionTool) }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
  }
}

type Declaration = NonNullable<EpochHeader['tools']>[number]

function declaration(tool: Tool): Declaration {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.parameters, { target: 'draft-7', io: 'input' })
  const parameters = z.record(z.string(), z.json()).parse(JSON.parse(JSON.stringify(schema)))
  return { name: tool.name, description: tool.description, parameters }
}

function functionTool({ name, description, parameters }: Declaration): LanguageModelV4FunctionTool {
  // A JSON schema that `declaration` (or another program) logged; the interface types it more narrowly than the log.
  return { type: 'function', name, description, inputSchema: parameters as JSONSchema7 }
}
