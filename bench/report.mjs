/**
 * The report page in Chromium: its weight, and the time from opening it to the first key that is answered, for pages of 500, 5,000
 * and 50,000 rows to review with three candidates each; then the mean of a hundred keys. Needs dist/ and Debian's
 * chromium.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { renderHtml, reportSchema } from '../build/report/index.js'

const TIMES = 5
const report = reportSchema.parse(
  JSON.parse(readFileSync(new URL('../test/unit/report/golden/finished.json', import.meta.url), 'utf8')),
)
const [first] = report.results[0].review

const words = ['Harrow', 'Bolton', 'Marwood', 'Nordlicht', 'Castle', 'Green', 'Ashby', 'Kestrel', 'Pinewood', 'Orchard']
const name = n => `${words[n % 10]} ${words[(n * 7) % 10]} ${n} Limited`
const rowsOf = count =>
  Array.from({ length: count }, (_, n) => ({
    ...first,
    row: n + 1,
    key: `S-${n + 1}`,
    score: ((n * 37) % 90) / 100,
    fingerprint: `r${n.toString(16).padStart(32, '0')}`,
    cells: { ...first.cells, name: name(n) },
    candidates: [0, 1, 2].map(rank => ({
      ...first.candidates[0],
      id: `GB-X-${String(n * 3 + rank).padStart(8, '0')}`,
      name: name(n + rank),
      fields: { ...first.candidates[0].fields, name: name(n + rank) },
    })),
  }))

const median = times => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
const folder = mkdtempSync(join(tmpdir(), 'fettle-bench-'))
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})
try {
  console.log(
    `${'rows'.padStart(7)} ${'page'.padStart(9)} ${'interactive'.padStart(12)} ${'of it script'.padStart(13)} ${'a key'.padStart(8)}`,
  )
  for (const count of [0, 500, 5_000, 50_000]) {
    const html = renderHtml(report, rowsOf(count), Number.POSITIVE_INFINITY)
    const file = join(folder, `${count}.html`)
    writeFileSync(file, html)
    const opened = []
    const scripts = []
    const keys = []
    for (let time = 0; time < TIMES; time++) {
      const page = await browser.newPage({ viewport: { width: 1200, height: 900 } })
      await page.goto(pathToFileURL(file).href, { waitUntil: 'load' })
      const [interactive, script] = await page.evaluate(`new Promise(resolve => requestAnimationFrame(() => {
        const [{ domInteractive, domLoading, responseEnd }] = performance.getEntriesByType('navigation')
        setTimeout(() => resolve([performance.now(), domInteractive - responseEnd]))
      }))`)
      opened.push(interactive)
      scripts.push(script)
      if (count > 0)
        keys.push(
          await page.evaluate(`(() => {
            const begun = performance.now()
            for (let n = 0; n < 100; n++) document.dispatchEvent(new KeyboardEvent('keydown', { key: n % 2 ? 'n' : 'y' }))
            return (performance.now() - begun) / 100
          })()`),
        )
      await page.close()
    }
    const weight = `${(Buffer.byteLength(html) / 1e6).toFixed(2)} MB`
    const key = keys.length === 0 ? '–' : `${median(keys).toFixed(1)} ms`
    console.log(
      `${String(count).padStart(7)} ${weight.padStart(9)} ${`${median(opened).toFixed(0)} ms`.padStart(12)} ${`${median(scripts).toFixed(0)} ms`.padStart(13)} ${key.padStart(8)}`,
    )
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
