// Entry of the review panel's page.
import '../jitless.ts'

import { openHost } from '../host.ts'
import { type FromReview, toReview } from '../review-messages.ts'
import { ReviewPanel } from './review-panel.ts'
import { savedReview } from './saved.ts'

const ready: FromReview = { kind: 'ready' }
const host = openHost(toReview, savedReview, ready)
const panel = new ReviewPanel()
panel.host = host
document.body.append(panel)
host.start(message => panel.receive(message))
