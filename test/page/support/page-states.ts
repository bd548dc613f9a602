// A state of a page: how it comes about, and at which widths it is looked at.
import type { Opened } from './open-page.ts'
import type { PageName } from './page-server.ts'

export interface PageState {
  readonly page: PageName
  readonly name: string
  readonly widths: readonly number[]
  show(opened: Opened): Promise<void>
}
