/**
 * The report page in a real browser: it loads nothing, runs nothing, shows foreign text as text, and can be read in the dark
 * and on a telephone. Set FETTLE_SHOTS to a folder to keep the pictures.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RENDERERS } from '../../src/report/index.ts'
import { type FixtureName, HOSTILE, reportOf, STATES } from '../report/fixtures.ts'

const CHROMIUM = '/usr/bin/chromium'
const found = existsSync(CHROMIUM)
if (!found) process.stderr.write('test/browser/report.test.ts not run: no chromium\n')

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const WIDE = { width: 1200, height: 900 }
const NARROW = { width: 380, height: 800 }

/** An expression for the page to evaluate; kept apart because it knows the browser's names and the tests do not. */
const inPage = (name: string): Promise<string> => readFile(new URL(`in-page/${name}`, import.meta.url), 'utf8')

interface Opened {
  readonly page: Page
  /** Console errors and thrown errors. */
  readonly complaints: string[]
  /** Addresses asked for besides the page's own. */
  readonly requests: string[]
}

describe.skipIf(!found)('the report page in Chromium', () => {
  let browser: Browser
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fettle-page-'))
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function open(name: FixtureName, viewport = WIDE, colorScheme: 'light' | 'dark' = 'light'): Promise<Opened> {
    const file = join(folder, `${name}.html`)
    await writeFile(file, RENDERERS.html.render(reportOf(name)))
    const page = await browser.newPage({ viewport, colorScheme })
    const complaints: string[] = []
    const requests: string[] = []
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('request', request => request.url() !== pathToFileURL(file).href && requests.push(request.url()))
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' })
    const shots = process.env.FETTLE_SHOTS
    if (shots) await page.screenshot({ path: join(shots, `${name}-${viewport.width}-${colorScheme}.png`), fullPage: true })
    return { page, complaints, requests }
  }

  it.each(Object.keys(STATES) as FixtureName[])(
    '%s: asks for nothing, complains of nothing, fits a narrow screen',
    async name => {
      for (const [viewport, scheme] of [
        [WIDE, 'light'],
        [WIDE, 'dark'],
        [NARROW, 'light'],
      ] as const) {
        const { page, complaints, requests } = await open(name, viewport, scheme)
        expect(complaints).toEqual([])
        expect(requests).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
        await page.close()
      }
    },
  )

  it('its policy is in force: its own style applies, a script, image or style put into it does not', async () => {
    const { page } = await open('finished')
    const margin = (): Promise<string> => page.evaluate('getComputedStyle(document.body).marginTop')
    expect(await margin()).toBe('0px')
    const violations = await page.evaluate<string[]>(await inPage('break-policy.js'))
    expect(violations).toEqual(expect.arrayContaining(['script-src-elem', 'img-src', 'style-src-elem']))
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await margin()).toBe('0px')
    await page.close()
  })

  it('shows hostile text as text', async () => {
    const { page } = await open('hostile')
    const { tags, attributes } = await page.evaluate<{ tags: string[]; attributes: string[] }>(await inPage('vocabulary.js'))
    const { page: plain } = await open('finished')
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

  it.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const)('its tables can be read by a screen reader and by keyboard: %s', async (_, viewport) => {
    const { page } = await open('finished', viewport)
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
    const { page } = await open('finished', WIDE, scheme)
    expect(await page.evaluate(await inPage('weak-text.js'))).toEqual([])
    await page.close()
    const failed = await open('failedAtUpload', WIDE, scheme)
    expect(await failed.page.evaluate(await inPage('weak-text.js'))).toEqual([])
    await failed.page.close()
  })

  it('is dark where the reader wants it dark', async () => {
    const backgrounds = []
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await open('finished', WIDE, scheme)
      backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
      await page.close()
    }
    expect(backgrounds).toEqual(['rgb(251, 250, 248)', 'rgb(20, 23, 26)'])
  })
})
