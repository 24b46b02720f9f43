/** Mojibake: UTF-8 decoded in another encoding is found across cuts, and correct text has no match. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import { asWindows1252 } from '../../../src/input/text/encoding.ts'
import { Mojibake } from '../../../src/input/text/mojibake.ts'
import { runs } from '../../support/runs.ts'
import { file, options } from './kit.ts'

const garbled = (text: string): string => asWindows1252(Buffer.from(text))

/** Counts in `text`, given in pieces of `size` bytes; the places are those in the whole. */
function found(text: string, size = 1_000_000) {
  const mojibake = new Mojibake()
  const bytes = Buffer.from(text)
  const places: number[] = []
  // The buffer is used again for every piece, as the reader of files does.
  const buffer = Buffer.alloc(size)
  for (let at = 0; at < bytes.length; at += size) {
    const piece = buffer.subarray(0, bytes.copy(buffer, 0, at))
    places.push(...mojibake.push(piece).map(place => at + place))
  }
  return { count: mojibake.count, places, example: mojibake.example, looks: mojibake.places }
}

describe('mojibake', () => {
  it.each([
    'Müller',
    'Société Générale',
    'MÜLLER',
    'CAFÉ',
    'straße',
    'Łódź',
    'Žižkov',
    'Ørsted ApS, Århus, Smørrebrød',
    'O’Brien',
    '“Best”',
    '100 €, £ 5, 20 °C',
    'Iñárritu',
    'Ελληνική',
    'Россия',
  ])('is found in %s', text => {
    expect(found(garbled(text)).count).toBeGreaterThan(0)
    expect(found(text).count).toBe(0)
  })

  it.each([
    'São João, MANHÃ, IRMÃ®, “AVELÔ, «AVELû, LÃ…',
    'Å Energi, Å\u00a0Energi, Å™, ÅÄÖ, Ä“, Â',
    'Ñandú, NÑ®, ÐÆÞ, N° 5, Nº 5, §5, ½, 5 €, CHÂTEAU, château',
    'Ελληνική, Россия, Україна, у, 株式会社, ป.ต.ท., العربية, Việt Nam Â Ă',
    '€â, â €, Ïo, Îles, Noël',
  ])('is not found in %s', text => {
    expect(found(text)).toMatchObject({ count: 0, places: [], example: '' })
  })

  it('is found alike wherever the pieces are cut', () => {
    const part = fc.constantFrom('a', ',', '\n', 'ü', 'Ã', 'Â', 'Ã¼', 'Ãœ', 'Ã–', 'â€™', 'â', '€', '¼', 'Å¡', 'ß', '\u00a0')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), (parts, size) => {
        const whole = found(parts.join(''))
        const cut = found(parts.join(''), size)
        expect([cut.count, cut.example]).toEqual([whole.count, whole.example])
        // One that began in the piece before is placed at the head of its own.
        cut.places.forEach((place, at) => {
          expect(place - whole.places[at]!).toBeGreaterThanOrEqual(0)
          expect(place - whole.places[at]!).toBeLessThan(5)
        })
      }),
      { numRuns: runs(100, 500) },
    )
  })

  it('is counted up to 10,000', () => {
    expect(found('Ã¼'.repeat(20_000), 1_000)).toMatchObject({ count: 10_000, looks: 'at least 10000 places look' })
    expect([found('Ã¼').looks, found('Ã¼ Ã¼').looks]).toEqual(['1 place looks', '2 places look'])
  })

  it('is a warning with its rows, and the encoding that is to blame', async () => {
    const rows = ['Müller', 'Smith', garbled('Müller'), garbled('Société Générale'), 'Jones', garbled('Köln')]
    const look = async (bytes: Buffer, encoding = 'auto') => {
      const path = file(bytes)
      return { path, ...(await inspect(options(path, { encoding }))) }
    }
    const { path, issues, facts } = await look(Buffer.from(`name,n\n${rows.map(row => `"${row}",1\n`).join('')}`))
    expect(issues).toMatchObject([
      {
        code: 'FETTLE_INPUT_SUSPECT',
        severity: 'warn',
        message: `${path}: 6 places look mis-encoded, such as "Ã¼" (first in row 3, 4, 6)`,
        count: 6,
        rows: [3, 4, 6],
        hint: 'Fix it in the source; it is sent unchanged.',
      },
    ])
    expect(facts).toMatchObject({ rows: 6 })
    const named = await look(Buffer.from('name,n\nMüller,1\n'), 'windows-1252')
    expect(named.issues).toMatchObject([{ hint: 'The file may be UTF-8: leave out input.encoding: windows-1252.' }])
    const both = await look(Buffer.concat([Buffer.from('name,n\nMüller,1\n'), Buffer.from('Köln,2\n', 'latin1')]), 'windows-1252')
    expect(both.issues).toMatchObject([{ hint: 'Fix it in the source; it is sent unchanged.', rows: [1] }])
  })
})
