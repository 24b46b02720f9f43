/** PDFs of sections: well formed, with all texts, over several pages if needed. */
import { writeFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pdfOf, requirePdf } from '../../../../src/service/http/pdf.ts'

/** Streams of a PDF that are compressed, as they read. */
const streamsOf = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/FlateDecode[^>]*>>\nstream\n([\s\S]*?)\nendstream/g)].flatMap(([, data = '']) => {
    try {
      return [inflateSync(Buffer.from(data, 'latin1')).toString('latin1')]
    } catch {
      return []
    }
  })

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
  const pdf = await pdfOf('AML details', sections)
  if (process.env.FETTLE_PDF !== undefined) writeFileSync(process.env.FETTLE_PDF, pdf)
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pagesOf(pdf)).toBe(1)
  // The font's table of what its glyphs mean holds the characters used: a search in the document finds them.
  const text = streamsOf(pdf).join('\n')
  for (const character of 'ZЗλŁح') {
    expect(text.toLowerCase()).toContain(`<${character.codePointAt(0)?.toString(16).padStart(4, '0')}>`)
  }
})

test('continues over several pages, also within a value', async () => {
  const rows = Array.from({ length: 200 }, (_, at): [string, string] => [`Row ${at}`, 'value '.repeat(20)])
  expect(pagesOf(await pdfOf('Long', [{ heading: 'Rows', rows }]))).toBeGreaterThan(4)
  expect(pagesOf(await pdfOf('Long', [{ heading: 'Row', rows: [['One', 'word '.repeat(4_000)]] }]))).toBeGreaterThan(3)
})

test('accepts control characters and very long words', async () => {
  const pdf = await pdfOf('A\u0000B\u001b', [{ heading: '\u0007', rows: [['\u0001', `x${'y'.repeat(5_000)}\n\u0000z`]] }])
  expect(pagesOf(pdf)).toBeGreaterThan(0)
})

test('without its packages the answer is a 501 with the install command, which a client does not repeat', async () => {
  const refused = requirePdf(() => Promise.reject(new Error('Cannot find package')))
  await expect(refused).rejects.toMatchObject({
    status: 501,
    details: expect.stringContaining('npm install pdfkit dejavu-fonts-ttf'),
  })
})
