/** Documents on paper: whole, readable by any reader, with everything on them. */
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { makePdf } from '../../src/service/pdf.ts'
import { sectionsOf } from '../../src/service/readable.ts'

const AT = Date.UTC(2026, 0, 15)

/** The text on the pages, without the spacing between its letters. */
function textOf(pdf: Buffer): string {
  const bytes = pdf.toString('latin1')
  const pages = [...bytes.matchAll(/stream\r?\n([\s\S]*?)\r?\nendstream/g)].map(([, stream = '']) => {
    const page = inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
    return [...page.matchAll(/\[(.*?)\] TJ/g)]
      .map(([, line = '']) =>
        [...line.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(''),
      )
      .join('\n')
  })
  return pages.join('\n')
}

const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type \/Page\n/g)?.length ?? 0

test('title, keys and values are on the page; other letters are transliterated, control characters gone', async () => {
  const sections = [
    {
      title: 'Names',
      rows: [
        ['Business name', 'Łódź Żelazo'],
        ['Иван', 'Müller & Söhne\u0007'],
      ] as [string, string][],
    },
  ]
  const pdf = await makePdf({ title: 'Acme', subtitle: 'GB-X-1', sections, at: AT })
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.toString('latin1').trimEnd()).toMatch(/%%EOF$/)
  const text = textOf(pdf)
  for (const one of ['Acme', 'GB-X-1', 'Names', 'Business name', 'Lódz Zelazo', 'Ivan', 'Müller & Söhne', '1 / 1'])
    expect(text).toContain(one)
  expect(pagesOf(pdf)).toBe(1)
})

test('a long document and a value longer than a page run on, and lose nothing', async () => {
  const rows = Array.from({ length: 120 }, (_, at): [string, string] => [`key ${at}`, `value ${at}`])
  const long = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n')
  const sections = [{ title: 'Rows', rows: [...rows, ['long', long], ['after', 'the end']] as [string, string][] }]
  const pdf = await makePdf({ title: 'Long', subtitle: '', sections, at: AT })
  const text = textOf(pdf)
  for (let at = 0; at < 120; at++) expect(text).toContain(`value ${at}`)
  for (let at = 0; at < 200; at++) expect(text).toContain(`line ${at}`)
  expect(text).toContain('the end')
  const pages = pagesOf(pdf)
  expect(pages).toBeGreaterThan(4)
  expect(pages).toBeLessThan(12)
  expect(text).toContain(`${pages} / ${pages}`)
})

test('a record becomes sections of words', () => {
  expect(
    sectionsOf({
      companyId: 'x',
      empty: {},
      companySummary: { businessName: 'A', none: null, list: ['a', 'b'], people: [{ firstName: 'C' }] },
    }),
  ).toEqual([
    { title: 'Company id', rows: [['Company id', 'x']] },
    {
      title: 'Company summary',
      rows: [
        ['Business name', 'A'],
        ['List', 'a\nb'],
        ['People 1: first name', 'C'],
      ],
    },
  ])
})
