/** Finds the closest of several known words, for "did you mean". */

/** Edits (insert, delete, replace, swap of neighbours) that turn one word into the other, each part edited once at most. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length]!
}

/**
 * The known word closest to `word`, case aside: within edits of a third of its length, else the longest that is part of it
 * (`companyName` holds `name`). Null when no word is close.
 */
export function nearest(word: string, known: Iterable<string>): string | null {
  if (word === '') return null
  const wanted = word.toLowerCase().slice(0, 100)
  let found: string | null = null
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue
    const edits = distance(wanted, candidate.toLowerCase())
    if (edits < least) [found, least] = [candidate, edits]
  }
  return found ?? longestWithin(wanted, known)
}

function longestWithin(wanted: string, known: Iterable<string>): string | null {
  const parts = [...known].filter(word => word.length >= 4 && wanted.includes(word.toLowerCase()))
  return parts.sort((a, b) => b.length - a.length)[0] ?? null
}

/** ` did you mean X?` as the end of a sentence, empty when nothing is close. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const found = nearest(word, known)
  return found === null ? '' : `; did you mean ${found}?`
}
