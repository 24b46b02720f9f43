/** The page of the interface that the service shows at `/docs`, in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { docsPage } from '../../../src/service/docs/docs-page.ts'
import { openApi } from '../../../src/service/docs/openapi.ts'
import { PLAY_NAMES, PLAYS } from '../../../src/service/plays.ts'
import { CHROMIUM_FOUND, openBrowser, type Pages, WIDE } from './kit.ts'

const PHONE = { width: 390, height: 844 }

describe.skipIf(!CHROMIUM_FOUND)('the page of the interface in Chromium', () => {
  let pages: Pages
  beforeAll(async () => {
    pages = await openBrowser()
  })
  afterAll(() => pages?.close())

  it.each(PLAY_NAMES)('%s: fits a phone, with every part open, and sends no request', async play => {
    const html = docsPage(openApi('0.0.0', 'http://localhost:8080/v1', PLAYS[play]))
    const { page, complaints, requests } = await pages.openHtml(html, `docs-${play}`, { viewport: PHONE })
    for (const viewport of [PHONE, WIDE])
      for (const open of [false, true]) {
        await page.setViewportSize(viewport)
        await page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = ${open}`)
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${viewport.width}, open: ${open}`).toBe(
          viewport.width,
        )
      }
    expect([complaints, requests]).toEqual([[], []])
    await page.close()
  })
})
