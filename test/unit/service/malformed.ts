/** JSON bodies made wrong: a good one with a piece cut out, put in, doubled or swapped. For where a corpus is not at hand. */
import fc from 'fast-check'

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  "'",
  '\\',
  '\\u12',
  '\u0000',
  '\n',
  '01',
  '-',
  '.',
  'NaN',
  'tru',
  '//',
  '\ufeff',
  '\u00a0',
]

/** A text with one to four changes. */
export const mutated = (text: string): fc.Arbitrary<string> => {
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 }), fc.constantFrom('', ...PIECES))
  return fc.array(change, { minLength: 1, maxLength: 4 }).map(changes =>
    changes.reduce((one, [place, cut, piece]) => {
      const at = place % (one.length + 1)
      return one.slice(0, at) + piece + one.slice(at + cut)
    }, text),
  )
}

/** Different malformed bodies made of these good ones; the seed makes them the same every time. */
export function malformed(good: readonly string[], count: number): string[] {
  const found = new Set<string>()
  const candidates = fc.sample(fc.constantFrom(...good).chain(mutated), { numRuns: count * 10, seed: 20_26 })
  for (const one of candidates) {
    try {
      JSON.parse(one)
    } catch {
      if (one !== '') found.add(one)
    }
    if (found.size === count) break
  }
  return [...found]
}
