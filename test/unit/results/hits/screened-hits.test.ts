/** The word of each row for its search: what was not searched for never looks like a company without hits. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unscreenedWords } from '../../../../src/report/sections/company-actions.ts'
import { findCompany, readHits } from '../../../../src/results/decide-rows.ts'
import type { RowResult } from '../../../../src/results/decisions/apply-decisions.ts'
import { addedColumns, NO_COLUMNS } from '../../../../src/results/enriched-columns.ts'
import { judgeAndStore, SCREEN_CELLS } from '../../../../src/results/hits/screened-hits.ts'

const COLUMNS = addedColumns(['general.connectId'])
const row = (id: string | null, outcome = 'matched'): RowResult =>
  ({ outcome, row: id === null ? [] : [id], columns: id === null ? NO_COLUMNS : COLUMNS }) as unknown as RowResult

test('each cause has its own word, and only a search without hits in time is clear', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-screened-'))
  try {
    const search = (id: string, hits: number, isTooOld?: boolean) => ({ id, name: id, hits, risks: {}, isTooOld })
    const searches = [search('CLEAR', 0), search('OPEN', 2), search('OLD', 0, true), search('OLD-HIT', 1, true)]
    const unscreened = [
      { id: 'NAMELESS', state: 'no name' },
      { id: 'REFUSED', state: 'refused' },
    ]
    expect(await readHits(folder)).toEqual({ hits: null })
    expect(await judgeAndStore(folder, searches, unscreened, {})).toMatchObject({ open: 3, back: 0, cleared: 0, confirmed: 0 })
    const found = await readHits(folder)
    const words = (result: RowResult): string[] => {
      const screened = findCompany(result, found.hits) ?? null
      const cells = { result, screened, unscreened: findCompany(result, found.unscreened ?? null) ?? null }
      return ['screen.state', 'screen.hits'].map(name => SCREEN_CELLS[name]!(cells))
    }
    expect(words(row('CLEAR'))).toEqual(['clear', '0'])
    expect(words(row('OPEN'))).toEqual(['open', '2'])
    expect(words(row('OLD'))).toEqual(['too old', '0'])
    expect(words(row('OLD-HIT'))).toEqual(['open', '1'])
    expect(words(row('NAMELESS'))).toEqual(['no name', ''])
    expect(words(row('REFUSED'))).toEqual(['refused', ''])
    expect(words(row('LATER'))).toEqual(['not reached', ''])
    expect(words(row(''))).toEqual(['no id', ''])
    expect(words(row(null, 'review'))).toEqual(['no company', ''])
    expect(words(row(null, 'skipped'))).toEqual(['', ''])
    // A rule reads nothing of a company that was not searched for.
    expect([...found.hits!.keys()]).toEqual(['CLEAR', 'OPEN', 'OLD', 'OLD-HIT'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('report and message name each cause', () => {
  const causes = { refused: 4, noName: 1, noLetter: 2, tooOld: 5, notReached: 6, noId: 7, noCompany: 8 }
  const screening = (change: object) => ({ ...causes, ...change }) as Parameters<typeof unscreenedWords>[0]
  expect(unscreenedWords(screening({}))).toBe(
    'not screened: 1 refused by the service, 1 without a name, 2 with a name of no letter and no digit, 5 searched too long ago, 6 not reached, 7 without an id, 8 rows without a company',
  )
  const none = { refused: 0, noName: 0, noLetter: 0, tooOld: 0, notReached: 0, noId: 0, noCompany: null }
  expect(unscreenedWords(screening(none))).toBe('')
})
