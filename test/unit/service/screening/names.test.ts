/** Names that users of other screening programs reported as missed or wrongly found, and edits between words. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitWords } from '../../../../src/normalise/text.ts'
import { countEdits, NameIndex } from '../../../../src/service/screening/names.ts'

const best = (listed: string, asked: string, isPerson: boolean): number =>
  Math.max(0, ...new NameIndex([listed], isPerson).find(asked, 1).map(({ score }) => score))

test.each([
  ['JSC ARGUMENT', 'JSCARGUMENT'],
  ['LUKOIL OIL COMPANY', 'LUKOIL OIL COMP'],
  ['Varnix Steel Holding', 'VARNIXSTEEL HOLDING'],
  ['Varnix Steel Limited', 'Varnix Steel Limtied'],
  ['DES INTERNATIONAL CO., LTD.', 'DES International'],
  ['SAS INTERNATIONAL LIMITED', 'Sas International Ltd.'],
  // An error in a short name, in a short word of a long one, and in the legal form.
  ['VAZIR', 'VAZZIR'],
  ['CENTRAL BANK OF VARNIXIA IRAN', 'CENTRAL BANK OF VARNIXIA IRN'],
  ['GOOD VARNIX LIMITED LIABILITY COMPANY', 'GOOD VARNIX LIMITEED LIABILITY COMPANY'],
  // Markets that write the legal form in front, and forms of other scripts.
  ['PT Varnix Baja', 'Varnix Baja'],
  ['SIA Varnix', 'Varnix SIA'],
  ['UAB "Varnix"', 'Varnix, UAB'],
  ['ООО Варникс', 'Варникс'],
  ['บริษัท วาร์นิกซ์ จำกัด', 'วาร์นิกซ์'],
])('the organisation %s is found as %s', (listed, asked) => {
  expect(best(listed, asked, false)).toBeGreaterThanOrEqual(85)
})

test.each([
  ['BELLETECH CORP', '11420 CORP.'],
  ['BELLETECH CORP', 'CORP'],
  ['Varnix Steel Ltd', 'Varnix Foods Ltd'],
  // Articles and opening legal forms leave one common word.
  ['DES INTERNATIONAL CO., LTD.', 'SAS INTERNATIONAL LIMITED'],
  ['THE GENERAL TRADING COMPANY', 'PT GLOBAL TRADING'],
  ['CORP', 'VARNIX CORP'],
])('the organisation %s is not found as %s', (listed, asked) => {
  expect(best(listed, asked, false)).toBeLessThan(75)
})

/** Watchman 338, 115 and 469: far more hits than the search of the list's own maker. */
test.each([
  ['Mohammad Hassan', ['HASSAN, Mohammad']],
  ['Ali Muhammad Khan', []],
  ['Mohammad Hassani', ['HASSAN, Mohammad']],
  ['Maria Gonzalez', []],
  ['Hassan', []],
  ['Mohammad', []],
])('%s has the hits %j at 85 among names of the same words', (asked, expected) => {
  const listed = [
    ...['HASSAN, Mohammad', 'HASSAN, Ali', 'MOHAMMAD, Khalil Hassan Omar', 'KHAN, Muhammad Saleem', 'ALI, Khalid Muhammad Omar'],
    ...[
      'HUSSEIN, Mohammad',
      'MUHAMMAD, Ali Reza Quli',
      'GONZALEZ DURAN, Maria Elena',
      'GONZALO, Mario',
      'HASAN, Abdul Mohammad Ali',
    ],
  ]
  const found = new NameIndex(listed, true).find(asked, 85).map(({ number }) => listed[number])
  expect(found).toEqual(expected)
})

test('two entries of one short name are two hits, each with the whole score', () => {
  const found = new NameIndex(['Wu Li', 'Wu Lin', 'LI, Wu'], true).find('Wu Li', 85)
  expect(found.filter(({ score }) => score === 100).map(({ number }) => number)).toEqual([0, 2])
})

test('a name with a few words more or less is worth a review', () => {
  expect(best('Varnix Steel', 'Varnix Steel Rotterdam', false)).toBe(78)
  expect(best('Zalmir Quorvath Osterwynne Hallowmere', 'Zalmir Quorvath Hallowmere', true)).toBe(78)
})

test('initials find the person they abbreviate beside the same surname, and no person by themselves', () => {
  expect(best('Zalmir Quorvath', 'Z Quorvath', true)).toBe(85)
  expect(best('Zalmir Quorvath', 'Z Q', true)).toBe(0)
  expect(best('Z Q', 'Zalmir Quorvath', true)).toBe(0)
})

test('an initial may leave out a middle name beside a rare surname alone', () => {
  expect(best('QUORVATH, Zalmir Pradeno', 'Z Quorvath', true)).toBe(85)
  expect(best('QUORVATH, Zalmir Pradeno Osterwynne', 'Z Quorvath', true)).toBe(0)
  expect(best('QUORVATH, Pradeno Altan', 'Z Quorvath', true)).toBe(0)
  const many = Array.from({ length: 10 }, (_, at) => `QUORVATH, ${'abcdefghij'[at]}dam`)
  expect(new NameIndex(['QUORVATH, Zalmir Pradeno', ...many], true).find('Z Quorvath', 85)).toEqual([])
})

test.each([
  ['AL-TIKRITI, Abid Hamid Mahmud', 'عابد حامد محمود التكريتي'],
  ['Abdullah Hamdullah Saduddin', 'عبد الله حمد الله سعد الدين'],
  ['HUSAYN, Abdulrahman', 'عبدالرحمن حسين'],
  ['Mohammed Khalid', 'Мухаммад Халид'],
  ['CHICHKOV, Jamal', 'Джамал Чичков'],
  ['Mosquera Phelps', 'Москуера Фелпс'],
  ['Rajesh Gupta', 'राजेश गुप्ता'],
  ['PAPADOPOULOS, Georgios', 'Γεώργιος Παπαδόπουλος'],
])('the person %s is found as %s', (listed, asked) => {
  expect(best(listed, asked, true)).toBeGreaterThanOrEqual(85)
})

test.each([
  ['Mohammed Khalid', 'Мухаммад Салим'],
  ['Ali Lee', 'علي لي'],
  // By their consonants, names in Latin letters would be too many.
  ['Mohammed Khalid', 'Mehmed Khuldi'],
  // Each syllable is a whole word.
  ['HUANG, Wan-Ken', '晃 坂本'],
  ['PENG, Jiarui', '柏睿 彭'],
])('the person %s is not found as %s', (listed, asked) => {
  expect(best(listed, asked, true)).toBeLessThan(85)
})

test.each([
  ['Quorvath Zalmir', 100],
  ['Quörvath, Zálmir', 100],
  ['Zalmirquorvath', 96],
  ['Zalmi Quorvath', 94],
  ['Zlamir Quorvahh', 88],
  ['Zalmir Pradenovich Osterwynne-Quo', 0],
])('the person Zalmir Quorvath scores, asked as %s, %i', (asked, score) => {
  expect(best('Zalmir Quorvath', asked, true)).toBe(score)
})

test('a short name scores 100 unchanged', () => {
  expect(best('Wu Li', 'LI WU', true)).toBe(100)
  expect(best('Wu Li', 'Wu Lin', true)).toBe(94)
})

test('edits are the same in both directions, none only for the same text, and never over the limit plus one', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, most) => {
      const edits = countEdits(a, b, most)
      expect(edits).toBe(countEdits(b, a, most))
      expect(edits === 0).toBe(a === b)
      expect(edits).toBeLessThanOrEqual(most + 1)
    }),
  )
})

test('a listed organisation of nothing but legal forms is found by its own name', () => {
  expect(best('The Company Limited', 'The Company Limited', false)).toBe(100)
  expect(best('S.A.', 'SA', false)).toBeGreaterThanOrEqual(85)
})

test('any name with a letter or a digit is found by itself, in any script, and no text is an error', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(name, name, fc.boolean(), (listed, asked, isPerson) => {
      const index = new NameIndex([listed, 'Zalmir Quorvath'], isPerson)
      expect(() => index.find(asked, 1)).not.toThrow()
      const hasWords = splitWords(listed).length > 0
      expect(index.find(listed, 100).some(({ number }) => number === 0)).toBe(hasWords)
    }),
  )
})
