/**
 * The report page in a real browser: it loads nothing, runs only its own script, shows foreign text as text, and is readable
 * in dark mode, on a telephone and without JavaScript. review.test.ts tests decisions. FETTLE_SHOTS names a folder for
 * screenshots.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FixtureName, HOSTILE, reportOf, STATES } from '../../unit/report/fixtures.ts'
import { FRAGMENTS, reportWith } from '../../unit/report/hostile.ts'
import { axe, CHROMIUM_FOUND, inPage, NARROW, openBrowser, type Pages, WIDE } from './kit.ts'

describe.skipIf(!CHROMIUM_FOUND)('the report page in Chromium', () => {
  let pages: Pages
  beforeAll(async () => {
    pages = await openBrowser()
  })
  afterAll(() => pages?.close())
  const open: Pages['open'] = (...asked) => pages.open(...asked)

  it.each(Object.keys(STATES) as FixtureName[])('%s: sends no request, logs no error, fits a narrow screen', async name => {
    const { page, complaints, requests } = await open(reportOf(name))
    for (const [viewport, colorScheme] of [
      [WIDE, 'light'],
      [WIDE, 'dark'],
      [NARROW, 'light'],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      expect(complaints).toEqual([])
      expect(requests).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
    }
    await page.close()
  })

  it('its policy is in force: its style applies, an injected script, image or style does not', async () => {
    const { page } = await open(reportOf('finished'))
    const margin = (): Promise<string> => page.evaluate('getComputedStyle(document.body).marginTop')
    expect(await margin()).toBe('0px')
    const violations = await page.evaluate<string[]>(await inPage('break-policy.js'))
    expect(violations).toEqual(expect.arrayContaining(['script-src-elem', 'img-src', 'style-src-elem']))
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await margin()).toBe('0px')
    await page.close()
  })

  it('shows hostile text as text', async () => {
    const { page } = await open(reportOf('hostile'))
    const { tags, attributes } = await page.evaluate<{ tags: string[]; attributes: string[] }>(await inPage('vocabulary.js'))
    const { page: plain } = await open(reportOf('finished'))
    const known = await plain.evaluate<{ tags: string[]; attributes: string[] }>(await inPage('vocabulary.js'))
    expect(tags.filter(tag => !known.tags.includes(tag))).toEqual([])
    expect(attributes.filter(name => !known.attributes.includes(name))).toEqual([])
    expect(await page.evaluate('window.owned')).toBeUndefined()
    const text = await page.evaluate<string>('document.body.textContent')
    for (const line of [HOSTILE[0], HOSTILE[1], HOSTILE[3]]) expect(text).toContain(line)
    expect(text).toContain('⟦U+202E⟧')
    expect(text).not.toMatch(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    await plain.close()
    await page.close()
  })

  it('no text becomes an element, an attribute or a request, at any position', async () => {
    const { page: finished } = await open(reportOf('finished'))
    const known = await finished.evaluate<{ tags: string[]; attributes: string[] }>(await inPage('vocabulary.js'))
    await finished.close()
    for (const shift of [0, 17, 41, 67]) {
      const texts = [...FRAGMENTS.slice(shift), ...FRAGMENTS.slice(0, shift)]
      const { page, complaints, requests } = await open(reportWith(texts))
      const { tags, attributes } = await page.evaluate<{ tags: string[]; attributes: string[] }>(await inPage('vocabulary.js'))
      expect([complaints, requests]).toEqual([[], []])
      expect(tags.filter(tag => !known.tags.includes(tag))).toEqual([])
      expect(attributes.filter(name => !known.attributes.includes(name))).toEqual([])
      expect(await page.evaluate('window.owned')).toBeUndefined()
      expect(
        await page.evaluate(
          '[...document.querySelectorAll("a")].filter(a => !/^(#|[.][.][/]|file:|blob:)/.test(a.getAttribute("href") ?? "#")).length',
        ),
      ).toBe(0)
      await page.close()
    }
  })

  it.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const)('its tables can be read by a screen reader and by keyboard: %s', async (_, viewport) => {
    const { page } = await open(reportOf('finished'), { viewport, script: false })
    const review = page.getByRole('table', { name: /Rows in review/ })
    expect(await review.getByRole('row').count()).toBe(5)
    expect(await review.getByRole('columnheader').allTextContents()).toEqual([
      'Row',
      'Your row',
      'Best candidate',
      'Score',
      'Why',
    ])
    expect(await review.getByRole('cell').first().textContent()).toContain('Harrow & Sons Joinery')
    const unnamed = await page.evaluate(
      '[...document.querySelectorAll("table")].filter(table => !table.caption?.textContent).length',
    )
    expect(unnamed).toBe(0)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('To the numbers')
    await page.close()
  })

  it.each(['light', 'dark'] as const)('its text stands out from what is behind it: %s', async scheme => {
    const { page } = await open(reportOf('finished'), { scheme })
    expect(await page.evaluate(await inPage('weak-text.js'))).toEqual([])
    await page.close()
    const failed = await open(reportOf('failedAtUpload'), { scheme })
    expect(await failed.page.evaluate(await inPage('weak-text.js'))).toEqual([])
    await failed.page.close()
  })

  it.each([
    [WIDE, 'light'],
    [NARROW, 'dark'],
  ] as const)(
    'the page about several pipelines asks for nothing, fits and can be read by everybody: %j %s',
    async (viewport, scheme) => {
      const refused = HOSTILE.map(name => ({ name, exitCode: 2, issues: [] }))
      const told = [reportOf('finished'), ...refused, reportOf('pausedAtMatch'), reportOf('hostile')]
      const { page, complaints, requests } = await pages.openIndex(told, { viewport, scheme })
      expect([complaints, requests]).toEqual([[], []])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
      expect(await page.evaluate(await inPage('weak-text.js'))).toEqual([])
      expect(await page.evaluate('window.owned')).toBeUndefined()
      expect(await axe(page)).toEqual([])
      await page.close()
    },
  )

  it('a long key stays in its column', async () => {
    const report = reportOf('finished')
    const [result] = report.results
    const rows = result!.review.map(row => ({ ...row, key: `supplier-${'1d5f25442d'.repeat(4)}` }))
    expect(rows.length).toBeGreaterThan(0)
    const { page } = await open({ ...report, results: [{ ...result!, review: rows, unmatched: rows }] }, { script: false })
    expect(
      await page.evaluate(
        '[...document.querySelectorAll(".wide th, .wide td")].filter(a => a.scrollWidth > a.clientWidth).length',
      ),
    ).toBe(0)
    await page.close()
  })

  it('is dark in dark mode', async () => {
    const backgrounds = []
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await open(reportOf('finished'), { scheme })
      backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
      await page.close()
    }
    expect(backgrounds).toEqual(['rgb(251, 250, 248)', 'rgb(20, 23, 26)'])
  })
})
