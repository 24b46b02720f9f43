/**
 * The review tool of the report page in a real browser: filters, keys, choices, storage and download, for few and for many
 * rows.
 */
import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPairDecisions } from '../../../src/dedupe/pair-decisions.ts'
import type { HitToDecide } from '../../../src/model/results.ts'
import type { PairData } from '../../../src/report/html/data.ts'
import { renderPairs } from '../../../src/report/html/pairs.ts'
import type { Sample } from '../../../src/report/index.ts'
import { digestFacts, requireHitDecisions } from '../../../src/results/hits/hit-decisions.ts'
import { requireDecisions } from '../../../src/results/index.ts'
import { HOSTILE, reportOf } from '../../unit/report/fixtures.ts'
import { axe, CHROMIUM_FOUND, NARROW, openBrowser, type Pages } from './kit.ts'

const REPORT = reportOf('finished')
const [FIRST] = REPORT.results[0]?.review ?? []

/** Rows like those of the sample, each of its own. */
const rowsLike = (count: number): Sample[] =>
  Array.from({ length: count }, (_, n) => ({
    ...FIRST!,
    row: n + 1,
    key: `S-${n + 1}`,
    score: (n % 90) / 100,
    fingerprint: `r${n.toString(16).padStart(32, '0')}`,
    cells: { ...FIRST!.cells, name: `Company ${n + 1} Ltd`, country: n % 3 === 0 ? 'DE' : 'GB' },
  }))

const hit = (n: number, more: Partial<HitToDecide> = {}): HitToDecide => {
  const facts = { name: [`Entry ${n}, "the <b>bold</b>"`], 'SAN.CURRENT': ['program Russia', 'since 2022'] }
  return {
    ...{
      company: { id: `GB-${n}`, name: `Company ${n} Ltd` },
      digest: digestFacts(facts),
      state: 'open',
      changed: [],
      decided: '',
    },
    hit: { list: 'OFAC', entry: `E${n}`, name: `Entry ${n}`, score: 97, datasets: ['SAN'], facts },
    ...more,
  }
}
const HITS = [
  hit(1, { state: 'back', changed: ['SAN.CURRENT: Russia -> Belarus'], decided: 'cleared by ann, 2026-11-20' }),
  hit(2),
  hit(3, { state: 'confirmed', decided: 'confirmed by ann, 2026-11-20' }),
]

const keyOf = (row: number): string => `r${String(row).padStart(32, '0')}`
/** Four pairs of rows: two are open, one was decided to be the same and one to be different. */
const PAIRS: PairData = {
  ...{ list: 'crm.csv', file: 'pairs.csv', fields: ['name', 'town'] },
  names: ['decision', 'name', 'name 2', 'town', 'town 2', 'rows', 'rows 2', 'key', 'key 2'],
  rows: [
    ['', 'Brackwell Marine Ltd', 'Brackwell Marine Holdings Ltd', 'Hull', 'Hull', '1', '2', keyOf(1), keyOf(2)],
    ['', 'Ostrander Foods', 'Ostrander Food', '', 'Leeds', '3', '4', keyOf(3), keyOf(4)],
    ['same', 'Acme Ltd', 'Acme Limited', '', '', '5', '6', keyOf(5), keyOf(6)],
    ['different', 'Hull <b>Rope</b> Ltd', 'Hull Ropes Ltd', '', '', '7', '8', keyOf(7), keyOf(8)],
  ],
  others: [[['2', '9', 'Brackwell Marine Group Ltd', 'Hull']], [], [], []],
}

const OTHER = `r${'e'.repeat(32)}`

describe.skipIf(!CHROMIUM_FOUND)('the review desk in Chromium', () => {
  let pages: Pages
  beforeAll(async () => {
    pages = await openBrowser()
  })
  afterAll(() => pages?.close())

  const shown = (page: Page): Promise<string[]> => page.locator('#desk [role=option]').locator('.name').allTextContents()
  const status = (page: Page) => page.getByRole('status').textContent()
  const toDesk = (page: Page) => page.evaluate('document.querySelector(".halves").scrollIntoView()')
  const title = (page: Page) => page.locator('.detail h3').textContent()
  const hits = (page: Page) => page.locator('#hitdesk')
  const toHits = (page: Page) => page.evaluate('document.querySelector("#hitdesk .halves").scrollIntoView()')
  async function downloaded(
    page: Page,
    file = 'decisions.csv',
  ): Promise<{ readonly text: string; readonly path: string; readonly name: string }> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download ${file}` }).click(),
    ])
    const path = `${await download.path()}`
    return { text: await readFile(path, 'utf8'), path, name: download.suggestedFilename() }
  }

  it('replaces the table and shows the first row beside its candidates', async () => {
    const { page, complaints, requests } = await pages.open(REPORT)
    expect(await page.locator('.paper').first().isVisible()).toBe(false)
    expect(await shown(page)).toHaveLength(4)
    expect(await title(page)).toBe('Harrow & Sons Joinery')
    const table = page.getByRole('region', { name: 'The row beside its candidates' })
    expect(await table.locator('em.differs').allTextContents()).toContain('Limited')
    expect(await table.locator('td:first-of-type em.differs').allTextContents()).toEqual(['04417720'])
    expect(await table.getByText('same postcode').count()).toBe(1)
    expect(await table.locator('.fall dt').first().textContent()).toBe('starting odds')
    expect([complaints, requests]).toEqual([[], []])
    await page.close()
  })

  it('works by keyboard: one key a row, with undo', async () => {
    const { page } = await pages.open(REPORT)
    await page.keyboard.press('y')
    expect(await status(page)).toBe('0 of 4 reviewed')
    await toDesk(page)
    await page.keyboard.press('y')
    expect([await status(page), await title(page)]).toEqual(['1 of 4 reviewed', 'Nordlicht Energie GmbH'])
    await page.keyboard.press('n')
    await page.keyboard.press('l')
    expect(await status(page)).toBe('2 of 4 reviewed')
    expect(await page.getByRole('button', { name: /^Later 1/ }).count()).toBe(1)
    for (const key of ['k', 'k', 'k']) await page.keyboard.press(key)
    await page.keyboard.press('u')
    expect(await status(page)).toBe('1 of 4 reviewed')
    await page.keyboard.press('2')
    expect(await status(page)).toBe('2 of 4 reviewed')
    await page.keyboard.press('/')
    await page.keyboard.type('boulangerie')
    expect(await shown(page)).toEqual(['Boulangerie Saint-Éloi'])
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('listbox')
    const { text } = await downloaded(page)
    expect(text).toContain('GB-X-07781120')
    await page.close()
  })

  it('goes back to the row of the last key with u, and shows the keys with ?', async () => {
    const { page } = await pages.open(REPORT)
    await toDesk(page)
    await page.keyboard.press('l')
    expect([await title(page), await page.getByRole('button', { name: /^Later 1/ }).count()]).toEqual([
      'Nordlicht Energie GmbH',
      1,
    ])
    await page.keyboard.press('u')
    expect([await title(page), await page.getByRole('button', { name: /^Later 0/ }).count()]).toEqual([
      'Harrow & Sons Joinery',
      1,
    ])
    await page.keyboard.press('y')
    await page.keyboard.press('y')
    for (const left of ['1 of 4 reviewed', '0 of 4 reviewed', '0 of 4 reviewed']) {
      await page.keyboard.press('u')
      expect(await status(page)).toBe(left)
    }
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    expect(await keys.textContent()).toContain('lateruundo')
    await page.keyboard.press('y')
    expect(await status(page)).toBe('0 of 4 reviewed')
    await page.keyboard.press('Escape')
    expect(await keys.isVisible()).toBe(false)
    await page.close()
  })

  it('decides about hits beside rows, restores what was decided, and exports a hits.csv that fettle reads', async () => {
    const { page, complaints } = await pages.open(REPORT, { hits: HITS })
    await toHits(page)
    const pane = hits(page).locator('.detail')
    expect(await pane.textContent()).toMatch(
      /Came back: cleared by ann, 2026-11-20, and since then:SAN.CURRENT: Russia -> Belarus/,
    )
    expect(await pane.textContent()).toContain('Entry 1, "the <b>bold</b>"')
    expect(await hits(page).getByRole('status').textContent()).toBe('1 of 3 reviewed')
    await hits(page).getByLabel('Your name').fill('Eve')
    await hits(page).getByRole('listbox').focus()
    for (const key of ['n', 'y', 'k', 'k']) await page.keyboard.press(key)
    expect(await hits(page).getByRole('status').textContent()).toBe('3 of 3 reviewed')
    expect(await page.locator('#desk').getByRole('status').textContent()).toBe('0 of 4 reviewed')
    const reloaded = () =>
      page.reload().then(() =>
        hits(page)
          .getByRole('button', { name: /^Cleared 1/ })
          .count(),
      )
    await expect.poll(reloaded, { timeout: 20_000 }).toBe(1)
    const { name, path } = await downloaded(page, 'hits.csv')
    expect(name).toBe('hits.csv')
    expect(await requireHitDecisions(path)).toMatchObject([
      {
        decision: 'clear',
        company: 'GB-1',
        companyName: 'Company 1 Ltd',
        entry: 'E1',
        list: 'OFAC',
        by: 'Eve',
        facts: HITS[0]!.hit.facts,
      },
      { decision: 'confirm', company: 'GB-2', digest: HITS[1]!.digest },
    ])
    expect(complaints).toEqual([])
    await page.close()
  })

  it('shows hits alone, and undoes a decision of the file', async () => {
    const { page } = await pages.open(REPORT, { hits: HITS, rows: [], viewport: NARROW })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width)
    await toHits(page)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    expect(await hits(page).locator('.mark').textContent()).toBe('✓ confirmed by ann, 2026-11-20')
    await page.keyboard.press('u')
    const { path } = await downloaded(page, 'hits.csv')
    expect(await requireHitDecisions(path)).toMatchObject([{ decision: 'undo', company: 'GB-3' }])
    expect(await axe(page)).toEqual([])
    await page.close()
  })

  it('decides about pairs of rows, and exports the table that dedupe reads', async () => {
    const { page, complaints, requests } = await pages.openHtml(renderPairs(PAIRS, { name: 'fettle', version: '0' }), 'pairs')
    expect([await status(page), await title(page)]).toEqual(['2 of 4 reviewed', 'Brackwell Marine Ltd'])
    const table = page.getByRole('region', { name: 'The rows beside each other' })
    expect(await table.locator('thead th').allTextContents()).toEqual(['Row 1', 'Row 2', 'Row 9in one group with row 2'])
    expect(await table.locator('em.differs').allTextContents()).toEqual(['Holdings', 'Group'])
    expect(await page.locator('.detail .why li').allTextContents()).toEqual(['different name', 'same town'])
    expect(await page.getByLabel('Your name').count()).toBe(0)
    await toDesk(page)
    for (const key of ['a', '2', 'y', 'n']) await page.keyboard.press(key)
    expect(await status(page)).toBe('4 of 4 reviewed')
    for (const key of ['j', 'j', 'u']) await page.keyboard.press(key)
    expect([await status(page), await title(page)]).toEqual(['3 of 4 reviewed', 'Hull <b>Rope</b> Ltd'])
    const { name, path, text } = await downloaded(page, 'pairs.csv')
    expect(name).toBe('pairs.csv')
    expect(parse(text)[0]).toEqual(PAIRS.names)
    expect(await readPairDecisions(path, '')).toMatchObject([
      { decision: 'same', names: ['Brackwell Marine Ltd', 'Brackwell Marine Holdings Ltd'] },
      { decision: 'different', keys: [keyOf(3), keyOf(4)] },
      { decision: 'same', keys: [keyOf(5), keyOf(6)] },
    ])
    expect([await axe(page), complaints, requests]).toEqual([[], [], []])
    await page.setViewportSize(NARROW)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width)
    await page.close()
  })

  it('exports a decisions.csv that fettle reads: author, time, expiry, and every rejected pair', async () => {
    const { page } = await pages.open(REPORT)
    await page.getByLabel('Your name').fill('Ann "the hand", Q')
    await page.getByLabel('Valid until').fill('2027-11-21')
    await page.getByRole('button', { name: 'Accept Harrow and Sons Joinery Limited' }).click()
    await page.getByRole('button', { name: 'None of these' }).click()
    const { name, path } = await downloaded(page)
    expect(name).toBe('decisions.csv')
    expect(await requireDecisions(path)).toMatchObject([
      {
        decision: 'accept',
        company: 'GB-X-04417702',
        companyName: 'Harrow and Sons Joinery Limited',
        by: 'Ann "the hand", Q',
        expires: '2027-11-21',
      },
      { decision: 'reject', company: 'DE-X-HRB11822', name: 'Nordlicht Energie GmbH' },
    ])
    await page.close()
  })

  it('shows unmatched rows apart, and takes the id of a company that a person types', async () => {
    const unmatched = rowsLike(3).map((row, n) => ({
      ...row,
      ...{ outcome: 'unmatched', decision: null, candidate: null, reason: 'no-candidate' },
      candidates: n === 0 ? row.candidates : [],
      fingerprint: `r${'f'.repeat(31)}${n}`,
    }))
    const { page, complaints } = await pages.open(REPORT, {
      rows: [...unmatched, FIRST!, { ...FIRST!, fingerprint: OTHER }],
      viewport: NARROW,
    })
    expect(await status(page)).toBe('0 of 2 reviewed')
    const bulk = page.getByRole('button', { name: /^Accept the best of/ })
    expect(await bulk.isVisible()).toBe(true)
    const filter = page.getByRole('button', { name: /^Unmatched 3/ })
    await filter.click()
    expect([await status(page), await filter.getAttribute('aria-pressed')]).toEqual(['0 of 3 reviewed', 'true'])
    // The nearest company of a row without a match is no company to accept unseen.
    expect([await bulk.isVisible(), (await shown(page)).length]).toEqual([false, 3])
    expect(await page.locator('.detail').textContent()).toContain('Unmatched: Nothing similar in the register.')
    const id = page.getByLabel(/^Id of (another|the) company/)
    await id.fill(' GB-X-01234567 ')
    await page.keyboard.press('Enter')
    expect(await title(page)).toBe('Company 2 Ltd')
    await id.fill('GB-X-"2"')
    await page.getByRole('button', { name: 'Accept this id' }).click()
    await toDesk(page)
    await page.keyboard.press('n')
    expect(await status(page)).toBe('3 of 3 reviewed')
    await page.keyboard.press('k')
    expect(await id.inputValue()).toBe('GB-X-"2"')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width)
    expect(await axe(page)).toEqual([])
    expect(await requireDecisions((await downloaded(page)).path)).toMatchObject([
      { fingerprint: unmatched[0]!.fingerprint, decision: 'accept', company: 'GB-X-01234567', name: 'Company 1 Ltd' },
      { fingerprint: unmatched[1]!.fingerprint, decision: 'accept', company: 'GB-X-"2"' },
      { fingerprint: unmatched[2]!.fingerprint, decision: 'reject', company: '' },
    ])
    await page.getByRole('button', { name: /^To review 2/ }).click()
    expect([await status(page), complaints]).toEqual(['0 of 2 reviewed', []])
    await page.close()
  })

  it('restores the choices when the page is opened again', async () => {
    const { page } = await pages.open(REPORT)
    const choose = async (): Promise<void> => {
      await toDesk(page)
      await page.keyboard.press('y')
      expect(await status(page)).toBe('1 of 4 reviewed')
    }
    // Chromium stores a choice in another process: a reload that is sooner loses it.
    const reloaded = async (): Promise<string | null> => {
      await page.reload()
      const restored = await status(page)
      if (restored === '0 of 4 reviewed') await choose()
      return restored
    }
    await choose()
    await expect.poll(reloaded, { timeout: 20_000, interval: 500 }).toBe('1 of 4 reviewed')
    await page.close()
  })

  it('shows earlier decisions and undoes them', async () => {
    const decision = {
      decision: 'accept',
      company: 'GB-X-04417702',
      companyName: 'H',
      by: 'ann',
      at: '2026-11-20',
      expires: '',
    } as const
    const { page } = await pages.open(REPORT, { rows: [{ ...FIRST!, decision }] })
    expect(await status(page)).toBe('1 of 1 reviewed')
    expect(await page.locator('.mark').textContent()).toBe('✓ accepted by ann, 2026-11-20')
    await toDesk(page)
    await page.keyboard.press('u')
    expect(await status(page)).toBe('0 of 1 reviewed')
    expect(parse((await downloaded(page)).text)[1]?.slice(0, 3)).toEqual([FIRST!.fingerprint, 'undo', ''])
    await page.close()
  })

  it('accepts all rows that the filters show, after a question', async () => {
    const { page } = await pages.open(REPORT, { rows: rowsLike(120) })
    const questions: string[] = []
    page.on('dialog', dialog => {
      questions.push(dialog.message())
      void dialog.accept()
    })
    await page.getByLabel('Country').selectOption('DE')
    await page.getByRole('button', { name: 'Accept the best of 40 shown' }).click()
    expect([questions, await status(page)]).toEqual([['Accept the best company of 40 rows?'], '40 of 120 reviewed'])
    await page.close()
  })

  it('filters by judgment, country, reason and score, and sorts', async () => {
    const { page } = await pages.open(REPORT, { rows: rowsLike(120) })
    await page.getByLabel('Country').selectOption('DE')
    expect(await page.locator('#desk [role=option]').first().getAttribute('aria-setsize')).toBe('40')
    await page.getByLabel('Order').selectOption('highest score first')
    expect(await shown(page)).toContain('Company 88 Ltd')
    await page.getByLabel('Country').selectOption('')
    const histogram = page.locator('svg.histogram')
    const box = (await histogram.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.51, box.y + 30)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.58, box.y + 30)
    await page.mouse.up()
    expect(await page.getByRole('button', { name: /Score 0.50 to 0.60/ }).count()).toBe(1)
    const scores = await page.locator('#desk [role=option]').locator('.score').allTextContents()
    expect(scores.every(score => Number(score) >= 0.5 && Number(score) <= 0.6)).toBe(true)
    await page.keyboard.press('y')
    await page.getByRole('button', { name: /^Accepted 1/ }).click()
    expect(await page.locator('#desk [role=option]').count()).toBe(1)
    await page.close()
  })

  it('shows hostile text as text and exports it unchanged', async () => {
    const { page, complaints, requests } = await pages.open(reportOf('hostile'))
    await toDesk(page)
    for (let n = 0; n < HOSTILE.length; n++) await page.keyboard.press('y')
    expect(await page.evaluate('window.owned')).toBeUndefined()
    expect(await page.locator('#desk img, #desk svg, #desk script').count()).toBe(0)
    expect(await page.locator('#desk').textContent()).not.toMatch(
      /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
    )
    const { path } = await downloaded(page)
    const companies = (await requireDecisions(path)).map(({ company }) => company)
    expect(companies).toContain(HOSTILE[3])
    expect(companies).toHaveLength(HOSTILE.length)
    expect([complaints, requests]).toEqual([[], []])
    await page.close()
  })

  it('scrolls through 50,000 rows with a hundred elements', async () => {
    const { page } = await pages.open(REPORT, { rows: rowsLike(50_000) })
    expect(await status(page)).toBe('0 of 50,000 reviewed')
    const list = page.getByRole('listbox')
    await list.focus()
    await page.keyboard.press('End')
    expect(await title(page)).toBe('Company 50000 Ltd')
    expect(await page.locator('#desk [role=option]').count()).toBeLessThan(100)
    await page.keyboard.press('y')
    expect(await status(page)).toBe('1 of 50,000 reviewed')
    await page.close()
  })

  it.each(['light', 'dark'] as const)('has nothing that axe-core finds fault with: %s', async scheme => {
    const { page } = await pages.open(REPORT, { scheme })
    await toDesk(page)
    for (const key of ['y', 'n', 'l', 'k', 'k', 'k']) await page.keyboard.press(key)
    expect(await axe(page)).toEqual([])
    await page.close()
  })

  it('fits a telephone, and shows the button of the best candidate whole', async () => {
    const viewport = { width: 360, height: 740 }
    const { page } = await pages.open(REPORT, { viewport, hits: HITS })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
    await page.getByRole('button', { name: 'Accept Harrow and Sons Joinery Limited' }).click()
    await page.locator('#desk').getByRole('listbox').focus()
    await page.keyboard.press('Home')
    if (process.env.FETTLE_SHOTS) {
      await page.locator('#desk').screenshot({ path: `${process.env.FETTLE_SHOTS}/phone.png` })
      await page.locator('#hitdesk').screenshot({ path: `${process.env.FETTLE_SHOTS}/phone-hits.png` })
    }
    const box = (await page.getByRole('button', { name: 'Accepted Harrow and Sons Joinery Limited' }).boundingBox())!
    const region = (await page.locator('#desk .beside').boundingBox())!
    expect(box.x + box.width).toBeLessThanOrEqual(region.x + region.width)
    const verbs = await page.locator('#desk .verbs > *, #hitdesk .verbs > *').all()
    for (const verb of verbs) {
      const { x, width } = (await verb.boundingBox())!
      expect(x + width).toBeLessThanOrEqual(viewport.width)
    }
    await page.close()
  })

  it('shows the table on paper and without JavaScript', async () => {
    for (const asked of [{ media: 'print' }, { script: false }] as const) {
      const { page } = await pages.open(REPORT, asked)
      expect(await page.locator('#desk').isVisible()).toBe(false)
      expect(
        await page
          .getByRole('table', { name: /Rows in review/ })
          .getByRole('row')
          .count(),
      ).toBe(5)
      await page.close()
    }
  })
})
