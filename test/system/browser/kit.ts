/** Shared by the browser tests: one Chromium, report pages in files, and the errors and requests of each page. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axeCore from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import type { HitToDecide } from '../../../src/model/results.ts'
import { type PipelineResult, type Report, renderHtml, renderIndex, type Sample } from '../../../src/report/index.ts'

const CHROMIUM = '/usr/bin/chromium'

/** Whether there is a browser. Without one the suites are skipped, and say so. */
export const CHROMIUM_FOUND = existsSync(CHROMIUM)
if (!CHROMIUM_FOUND)
  process.stderr.write('\n\nTHE BROWSER TESTS ARE SKIPPED: no /usr/bin/chromium (apt-get install chromium)\n\n\n')

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
export const WIDE = { width: 1200, height: 900 }
export const NARROW = { width: 380, height: 800 }

/** An expression for the page to evaluate; kept apart because it knows the browser's names and the tests do not. */
export const inPage = (name: string): Promise<string> => readFile(new URL(`in-page/${name}`, import.meta.url), 'utf8')

/** How a page is opened. */
interface Asked {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly scheme?: 'light' | 'dark'
  readonly script?: boolean
  /** Rows to review; those of the report if absent. */
  readonly rows?: readonly Sample[] | null
  /** Hits to decide about. */
  readonly hits?: readonly HitToDecide[]
  /** Print, as paper. */
  readonly media?: 'print'
}

/** A page, and what happened on it. */
export interface Opened {
  readonly page: Page
  /** Console errors and thrown errors. */
  readonly complaints: string[]
  /** Addresses asked for besides the page's own. */
  readonly requests: string[]
}

/** A browser that opens reports. */
export interface Pages {
  open(report: Report, asked?: Asked): Promise<Opened>
  /** A page as it is sent. */
  openHtml(html: string, title: string, asked?: Asked): Promise<Opened>
  /** The page about several pipelines. */
  openIndex(told: readonly PipelineResult[], asked?: Asked): Promise<Opened>
  close(): Promise<void>
}

/** Starts the browser. */
export async function openBrowser(): Promise<Pages> {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-page-'))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS })
  let serial = 0
  const show = async (
    html: string,
    title: string,
    { viewport = WIDE, scheme = 'light', script = true, media }: Asked,
  ): Promise<Opened> => {
    const file = join(folder, `${++serial}.html`)
    await writeFile(file, html)
    const context = await browser.newContext({ viewport, colorScheme: scheme, javaScriptEnabled: script })
    const page = await context.newPage()
    page.once('close', () => void context.close().catch(() => {}))
    const complaints: string[] = []
    const requests: string[] = []
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    page.on('request', request => request.url() !== pathToFileURL(file).href && requests.push(request.url()))
    if (media !== undefined) await page.emulateMedia({ media })
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' })
    const shots = process.env.FETTLE_SHOTS
    const name = `${title}-${viewport.width}-${scheme}${media ?? ''}${script ? '' : '-noscript'}`
    if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
    return { page, complaints, requests }
  }
  return {
    open: (report, asked = {}) =>
      show(
        renderHtml(report, asked.rows ?? null, asked.hits, Number.POSITIVE_INFINITY),
        `${report.results[0]?.name}-${report.status}`,
        asked,
      ),
    openHtml: (html, title, asked = {}) => show(html, title, asked),
    openIndex: (told, asked = {}) =>
      show(renderIndex(told, { tool: { name: 'fettle', version: '0' }, linkOf: () => 'a/report.html' }), 'index', asked),
    async close() {
      await browser.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What axe-core finds wrong with a page, by rule. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source)
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run(document, { resultTypes: ["violations"] })',
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}
