/** The storage of the index: columns round-trip, searches agree with an exhaustive one, and the work for a row is bounded. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MAX_COMPARISONS,
  nearestDocuments,
  planPostingReads,
  selectCandidates,
} from '../../../../src/service/matching/blocking/candidates.ts'
import {
  type Columns,
  pack,
  RepeatedTextBuilder,
  RepeatedTextColumn,
  TextColumn,
  TextColumnBuilder,
  unpack,
} from '../../../../src/service/matching/blocking/columns.ts'
import { Dictionary, DictionaryBuilder, KeyIndex, KeysBuilder } from '../../../../src/service/matching/blocking/hash-tables.ts'
import { buildPostings, postingsIn } from '../../../../src/service/matching/blocking/postings.ts'
import { buildIndex, FIGURES, match, viewIndex } from '../../../../src/service/matching/index.ts'
import { prepareQuery } from '../../../../src/service/matching/query.ts'
import { lettersOf } from '../../../../src/service/matching/similarity.ts'
import { company } from './companies.ts'

const packed = (columns: Columns) => unpack(pack(Object.entries(columns)))
const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 60 })

describe('columns', () => {
  it('round-trip texts, repeated texts and numbered words', () => {
    fc.assert(
      fc.property(texts, all => {
        const [column, repeated, dictionary] = [new TextColumnBuilder(), new RepeatedTextBuilder(), new DictionaryBuilder()]
        for (const text of all) {
          column.add(text)
          repeated.add(text)
        }
        const numbers = all.map(text => dictionary.number(text))
        const columns = packed({ ...column.columns('a'), ...repeated.columns('b'), ...dictionary.columns('c') })
        const [read, again] = [new TextColumn(columns, 'a'), new RepeatedTextColumn(columns, 'b')]
        const known = new Dictionary(columns, 'c', dictionary.size)
        for (const [at, text] of all.entries()) {
          expect([read.at(at), again.at(at), known.word(numbers[at]!), known.number(text)]).toEqual([
            text,
            text,
            text,
            numbers[at],
          ])
        }
        for (const number of numbers) expect(known.letters(number)).toBe(lettersOf(known.word(number)))
        expect(known.number('not there')).toBe(-1)
        for (const [at, text] of all.entries())
          for (const other of [...all.slice(0, 5), `${text}a`, text.slice(0, -1)])
            expect([read.is(at, other), again.is(at, other)]).toEqual([text === other, text === other])
      }),
    )
  })

  it('reject access by another type or name', () => {
    const columns = packed({ a: Uint8Array.of(1) })
    expect(() => columns.u32('a')).toThrow('no column a')
    expect(() => columns.u8('b')).toThrow('no column b')
  })

  it('map keys to companies, but not a key of more than 200', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.nat(50)), { maxLength: 300 }), pairs => {
        const builder = new KeysBuilder()
        for (const [key, value] of pairs) builder.add(key, value)
        for (let value = 0; value < 201; value++) builder.add('common', value)
        for (let value = 0; value < 200; value++) builder.add('frequent', value)
        const keys = new KeyIndex(packed(builder.columns('k')), 'k')
        for (const [key] of pairs) {
          const expected = pairs.filter(([other]) => other === key).map(([, value]) => value)
          expect(keys.lookup(key)).toEqual(expected.filter((value, at) => value !== expected[at - 1]))
        }
        expect(keys.lookup('common')).toEqual([])
        expect(keys.lookup('frequent')).toHaveLength(200)
      }),
    )
  })

  it('round-trip companies with any cells', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 })
    const some = fc.record({
      name: text,
      orgNumber: text,
      country: text,
      town: text,
      status: text,
      legalForm: text,
      incorporated: text,
      activities: fc.array(fc.constantFrom('62012 Software', '46720 Metals', 'ores', '62012'), { maxLength: 4 }),
      figures: fc.dictionary(
        fc.constantFrom(...FIGURES),
        text.filter(one => one !== ''),
      ),
      connectId: text,
      tradingNames: fc.array(
        text.filter(one => one !== ''),
        { maxLength: 3 },
      ),
    })
    fc.assert(
      fc.property(fc.array(some, { maxLength: 12 }), all => {
        const companies = all.map(({ connectId, legalForm, activities, incorporated, figures, ...one }, at) =>
          company({
            id: `c${at}`,
            ...one,
            ...(connectId === '' ? {} : { connectId }),
            ...(legalForm === '' ? {} : { legalForm }),
            ...(activities.length === 0 ? {} : { activities }),
            ...(incorporated === '' ? {} : { incorporated }),
            ...(Object.keys(figures).length === 0 ? {} : { figures: { ...figures } }),
          }),
        )
        expect([...viewIndex(buildIndex(companies).image).companies]).toEqual(companies)
      }),
    )
  })

  it('order companies by id as texts are ordered, and compare texts without decoding', () => {
    const ids = fc.uniqueArray(fc.string({ unit: 'grapheme', maxLength: 4 }), { minLength: 2, maxLength: 20 })
    fc.assert(
      fc.property(ids, all => {
        const { companies } = buildIndex(all.map(id => company({ id, name: 'Acme' })))
        const sorted = all.map((_, at) => at).sort((a, b) => companies.compareIds(a, b))
        expect(sorted.map(at => all[at])).toEqual([...all].sort())
        const column = new TextColumnBuilder()
        for (const text of all) column.add(text)
        const read = new TextColumn(packed(column.columns('a')), 'a')
        for (const text of [...all, 'é', 'Ã©', 'x'])
          expect(all.map((_, at) => read.is(at, text))).toEqual(all.map(other => other === text))
      }),
    )
  })
})

describe('postings', () => {
  /** Documents of one to four terms out of 40; more of them than one block holds when `many`. */
  const made = (count: number) => {
    const starts = Uint32Array.from({ length: count + 1 }, (_, at) => at * 2)
    const terms = Uint32Array.from({ length: count * 2 }, (_, at) =>
      at % 2 === 0 ? (at * 7919) % 20 : 20 + ((at * 104_729) % 20),
    )
    return { starts, terms, postings: postingsIn(packed(buildPostings('p', starts, terms, 40)), 'p') }
  }

  /** The nearest documents, each scored in full. */
  const plainly = (starts: Uint32Array, terms: Uint32Array, idf: Float32Array, asked: readonly number[], most = 20): number[] => {
    const scored = Array.from({ length: starts.length - 1 }, (_, document) => {
      const own = terms.subarray(starts[document]!, starts[document + 1]!)
      const sum = asked.filter(term => own.includes(term)).reduce((total, term) => total + idf[term]! ** 2, 0)
      return { document, score: sum / Math.hypot(...[...own].map(term => idf[term]!)) }
    })
    const best = scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => Math.round((b.score - a.score) * 1e6) || a.document - b.document)
      .slice(0, most)
    const least = (best[0]?.score ?? 0) * 0.6
    return best.filter(({ score }, at) => at < 5 || score >= least).map(one => one.document)
  }

  it.each([50, 70_000, 140_000])('return the results of an exhaustive search among %i documents', count => {
    const { starts, terms, postings } = made(count)
    const asked = [3, 8, 25, 31]
    const expected = plainly(starts, terms, postings.idf, asked)
    expect(nearestDocuments(postings, asked, 1e9, 20)).toEqual(expected)
    expect(nearestDocuments(postings, asked, 1e9, 20)).toEqual(expected)
  })

  it('return the results of an exhaustive search for any distribution of terms', () => {
    const spread = fc.array(fc.uniqueArray(fc.oneof(fc.nat(4), fc.nat(29)), { minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 400,
    })
    fc.assert(
      fc.property(spread, fc.uniqueArray(fc.nat(29), { maxLength: 15 }), fc.integer({ min: 1, max: 25 }), (all, asked, most) => {
        const starts = Uint32Array.from([
          0,
          ...all.map(
            (
              (sum = 0) =>
              one =>
                (sum += one.length)
            )(),
          ),
        ])
        const terms = Uint32Array.from(all.flat())
        const postings = postingsIn(packed(buildPostings('p', starts, terms, 30)), 'p')
        const known = asked.filter(term => terms.includes(term))
        expect(nearestDocuments(postings, known, 1e9, most)).toEqual(plainly(starts, terms, postings.idf, known, most))
      }),
    )
  })

  it('are read within the budget, a single most common word within half a million', () => {
    const count = 1_000_000
    const starts = Uint32Array.from({ length: count + 1 }, (_, at) => at)
    const { postings } = { postings: postingsIn(packed(buildPostings('p', starts, new Uint32Array(count), 1)), 'p') }
    expect(planPostingReads(postings, [0], 20_000).postings).toBe(8 * 0x1_0000)
    const several = made(70_000).postings
    expect(planPostingReads(several, [3, 8, 25, 31], 8_000).postings).toBeLessThanOrEqual(8_000)
  })
})

describe('the candidates of a row', () => {
  it('are the nearest names, by the same number when the caller asks for none', () => {
    const index = buildIndex(Array.from({ length: 60 }, (_, at) => company({ id: `c${at}`, name: `Harrowfield Joinery ${at}` })))
    const asked = prepareQuery(index, { name: 'Harrowfield Joinery Works' })
    expect(selectCandidates(index, asked)).toEqual(selectCandidates(index, asked, 5))
    expect(selectCandidates(index, asked).length).toBeGreaterThanOrEqual(20)
  })
})

describe('the work for a row', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      company({
        id: `m${at}`,
        name: `Common Trading ${at}`,
        postcode: `AB${1 + (at % 3)} 2CD`,
        tradingNames: Array.from({ length: 500 }, (_, n) => `Common Trading ${at} ${n}`),
      }),
    )

  it('is bounded for any names in register and row', () => {
    const index = buildIndex(many(60))
    const query = {
      name: 'Common Trading',
      tradingName: 'Trading Common',
      aliasName: 'Common',
      previousName: 'Common 7',
      postcode: 'AB1 2CD',
    }
    const asked = prepareQuery(index, query)
    const comparisons = selectCandidates(index, asked, 5)
      .map(one => (index.documentStarts[one + 1]! - index.documentStarts[one]!) * asked.names.length)
      .reduce((total, one) => total + one, 0)
    expect(comparisons).toBeGreaterThan(0)
    expect(comparisons).toBeLessThanOrEqual(MAX_COMPARISONS)
    expect(match(index, query).candidates.length).toBeGreaterThan(0)
  })
})
