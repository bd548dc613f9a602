// A state of a page: how it comes about, and at which widths it is looked at.
import { type Opened, settled } from './open-page.ts'
import type { PageName } from './page-server.ts'

export interface PageState {
  readonly page: PageName
  readonly name: string
  readonly widths: readonly number[]
  show(opened: Opened): Promise<void>
}

/** A picture asks for its bytes when it comes near the eye; in a small page that takes scrolling. */
export async function nearEveryPicture({ page }: Opened): Promise<void> {
  for (const picture of await page.locator('image-thumb').all()) {
    await picture.scrollIntoViewIfNeeded()
    await settled(page)
  }
}
