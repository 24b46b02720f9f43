/** Similarity of words, compared with a plain edit distance. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areFar, lettersOf, wordSimilarity } from '../../../../src/service/matching/similarity.ts'

/** Optimal string alignment, as it is defined. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : i)))
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = least
    }
  }
  return rows[a.length]![b.length]!
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'e', 'n', 'r', 's', 't'), minLength: 1, maxLength: 12 })
/** A word with some typing errors, so that near words are not rare. */
const pair = fc.tuple(word, fc.array(fc.tuple(fc.nat(12), word), { maxLength: 3 })).map(([one, errors]) => {
  let other = one
  for (const [at, letters] of errors) other = other.slice(0, at) + letters[0] + other.slice(at + (letters.length % 3))
  return [one, other] as const
})
const pairs = fc.oneof(pair, fc.tuple(word, word))
const allowed = (a: string, b: string): number => {
  const length = Math.max(a.length, b.length)
  return length < 4 ? 0 : length < 8 ? 1 : 2
}

describe('words', () => {
  it('with another first letter are alike by their edits, up to as many as their length allows', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        fc.pre(a[0] !== b[0])
        const edits = distance(a, b)
        expect(wordSimilarity(a, b)).toBeCloseTo(edits > allowed(a, b) ? 0 : 1 - edits / Math.max(a.length, b.length), 12)
      }),
    )
  })

  it('that are far apart need more edits than are allowed', () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        fc.pre(a !== b && areFar(a, b, lettersOf(a), lettersOf(b)))
        expect(distance(a, b)).toBeGreaterThan(allowed(a, b))
      }),
    )
  })
})
