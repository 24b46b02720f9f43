/** S17: a real parser, Chromium's, reads a hostile JUnit report as JUnit elements with exactly the given text. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plain } from '../../../../src/report/formats/escape.ts'
import { RENDERERS } from '../../../../src/report/index.ts'
import { HOSTILE, reportOf } from '../../../unit/report/fixtures.ts'

const CHROMIUM = '/usr/bin/chromium'

/** Names, attributes and texts as the page's own XML parser finds them. */
const READ = `xml => {
  const found = new DOMParser().parseFromString(xml, 'application/xml')
  const all = [...found.querySelectorAll('*')]
  return {
    error: found.querySelector('parsererror')?.textContent ?? null,
    names: [...new Set(all.map(one => one.nodeName))].sort(),
    values: all.flatMap(one => [...one.attributes].map(each => each.value)),
    texts: all.flatMap(one => [...one.childNodes].filter(each => each.nodeType === 3).map(each => each.data)),
    kinds: [...new Set(all.flatMap(one => [...one.childNodes].map(each => each.nodeType)))].sort(),
  }
}`

interface Parsed {
  readonly error: string | null
  readonly names: readonly string[]
  readonly values: readonly string[]
  readonly texts: readonly string[]
  readonly kinds: readonly number[]
}

describe.skipIf(!existsSync(CHROMIUM))('JUnit in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox', '--disable-gpu'] })
  })
  afterAll(() => browser?.close())

  test('a real parser reads exactly the text and only JUnit elements', async () => {
    const page = await browser.newPage()
    const xml = RENDERERS.junit.render(reportOf('hostile'))
    const parsed = await page.evaluate<Parsed>(`(${READ})(${JSON.stringify(xml)})`)
    expect(parsed.error).toBeNull()
    expect(parsed.names).toEqual(
      ['error', 'failure', 'properties', 'property', 'skipped', 'system-out', 'testcase', 'testsuite', 'testsuites'].filter(
        name => parsed.names.includes(name),
      ),
    )
    // Elements and text: no comment, no section, no instruction.
    expect(parsed.kinds).toEqual([1, 3])
    const shown = [...parsed.values, ...parsed.texts].join('\n')
    for (const line of HOSTILE) expect(shown).toContain(plain(line))
    const broken = await page.evaluate<Parsed>(`(${READ})(${JSON.stringify(`${xml}<`)})`)
    expect(broken.error).not.toBeNull()
    await page.close()
  })
})
