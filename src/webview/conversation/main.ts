// Entry of the conversation view's page.
import '../jitless.ts'

import { openHost } from '../host.ts'
import { type FromConversation, toConversation } from '../messages.ts'
import { ConversationView } from './conversation-view.ts'
import { savedDrafts } from './drafts.ts'

const ready: FromConversation = { kind: 'ready' }
const host = openHost(toConversation, savedDrafts, ready)
const view = new ConversationView()
view.host = host
document.body.append(view)
host.start(message => view.receive(message))
