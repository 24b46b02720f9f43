/** PDFs of sections and of hits: well formed, with all texts, over several pages if needed. */
import { writeFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { renderPdf, requirePdf } from '../../../../src/service/http/pdf.ts'
import type { Entry } from '../../../../src/service/screening/entry.ts'
import { hitPdf } from '../../../../src/service/screening/hit-routes.ts'
import type { Hit, Search } from '../../../../src/service/screening/searches-store.ts'

/** Streams of a PDF that are compressed, as they read. */
const streamsOf = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/FlateDecode[^>]*>>\nstream\n([\s\S]*?)\nendstream/g)].flatMap(([, data = '']) => {
    try {
      return [inflateSync(Buffer.from(data, 'latin1')).toString('latin1')]
    } catch {
      return []
    }
  })

/** The font's table of what its glyphs mean holds the characters used: a search in the document finds them. */
const hasCharacter = (pdf: Buffer, character: string): boolean =>
  streamsOf(pdf)
    .join('\n')
    .toLowerCase()
    .includes(`<${character.codePointAt(0)!.toString(16).padStart(4, '0')}>`)

const pagesOf = (pdf: Buffer): number => Number(/\/Type \/Pages\n\/Count (\d+)/.exec(pdf.toString('latin1'))?.[1])

test('has one page for a few rows, with names in their scripts', async () => {
  const sections = [
    {
      heading: 'Search',
      rows: [
        ['Name', 'Zalmir Quorvath'],
        ['Also', 'Залмир Кворват · Ζαλμίρ · Łódź · حضريل'],
      ] as [string, string][],
    },
    { heading: 'Empty', rows: [] },
  ]
  const pdf = await renderPdf('AML details', sections)
  if (process.env.FETTLE_PDF !== undefined) writeFileSync(process.env.FETTLE_PDF, pdf)
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pagesOf(pdf)).toBe(1)
  for (const character of 'ZЗλŁح') expect(hasCharacter(pdf, character)).toBe(true)
})

test('names the user who searched, and not the account that the search is of', async () => {
  const [owner, createdBy] = [1, 2]
  const entry: Entry = {
    ...{ id: 'e', type: 'individual', name: 'Zalmir', person: null, gender: '', pepTier: null, description: '' },
    ...{ aliases: [], listings: [], countries: [], datesOfBirth: [], datesOfDeath: [], addresses: [], identifiers: [] },
    ...{ contacts: [], links: [], images: [], notes: [], businessTypes: [], sources: [] },
  }
  const times = { createdAt: 0, modifiedAt: 0, modifiedBy: createdBy }
  const search: Search = {
    ...{ id: 's', owner, createdBy, type: 'individual', name: 'Zalmir', person: null, threshold: 75, datasets: [] },
    ...{ countryCodes: [], dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
    ...{ status: 'new', riskRating: 'notApplicable', assignedTo: null, note: null, hits: {} as Search['hits'] },
    scheduleId: null,
    ...times,
  }
  const hit: Hit = {
    id: 'h',
    search: 's',
    list: 'l',
    entry,
    match: 'Zalmir',
    score: 90,
    decision: 'undecided',
    note: null,
    ...times,
  }
  const nameOf = (id: number): string => (id === owner ? 'Ω' : 'Ж')
  const pdf = await hitPdf({ search, hit, entry, nameOf, snapshots: [], now: 0 })
  expect(['Ж', 'Ω'].map(character => hasCharacter(pdf, character))).toEqual([true, false])
})

test('continues over several pages, also within a value', async () => {
  const rows = Array.from({ length: 200 }, (_, at): [string, string] => [`Row ${at}`, 'value '.repeat(20)])
  expect(pagesOf(await renderPdf('Long', [{ heading: 'Rows', rows }]))).toBeGreaterThan(4)
  expect(pagesOf(await renderPdf('Long', [{ heading: 'Row', rows: [['One', 'word '.repeat(4_000)]] }]))).toBeGreaterThan(3)
})

test('accepts control characters and very long words', async () => {
  const pdf = await renderPdf('A\u0000B\u001b', [{ heading: '\u0007', rows: [['\u0001', `x${'y'.repeat(5_000)}\n\u0000z`]] }])
  expect(pagesOf(pdf)).toBeGreaterThan(0)
})

test('without its packages the answer is a 501 with the install command, which a client does not repeat', async () => {
  const refused = requirePdf(() => Promise.reject(new Error('Cannot find package')))
  await expect(refused).rejects.toMatchObject({
    status: 501,
    details: expect.stringContaining('npm install pdfkit dejavu-fonts-ttf'),
  })
})
