/**
 * Former names of a company across imports: a source may forget a name that an earlier one had, and a list may still use it.
 */
import { parseCompanyName } from '../../../normalise/company-name.ts'
import type { Company } from '../../matching/index.ts'

/** What an earlier import knew: its name, and its previous names with the days until which they were used. */
export type KnownNames = Pick<Company, 'name' | 'previousNames' | 'previousUntil'>

const wordsOf = (name: string): string => parseCompanyName(name).words.join(' ')

/** An id made from the position of a row: after an insertion it is another company's. */
const hasStableId = ({ id }: Company): boolean => !/^row-\d+$/.test(id)

/**
 * The company with the names that an earlier import knew and the source lacks: a name that was replaced (until `day`, `2026-01-31`) and
 * earlier previous names. Spellings with the same words, such as another legal form, are one name.
 */
export function withFormerNames(company: Company, before: KnownNames, day: string): Company {
  if (!hasStableId(company)) return company
  const seen = new Set([company.name, ...company.previousNames].map(wordsOf))
  const earlier = before.previousNames.map((name, at) => ({ name, until: before.previousUntil?.[at] ?? '' }))
  const added = [{ name: before.name, until: day }, ...earlier].filter(({ name }) => {
    const words = wordsOf(name)
    if (words === '' || seen.has(words)) return false
    seen.add(words)
    return true
  })
  if (added.length === 0) return company
  const { previousNames, previousUntil = previousNames.map(() => '') } = company
  return {
    ...company,
    previousNames: [...previousNames, ...added.map(({ name }) => name)],
    previousUntil: [...previousUntil, ...added.map(({ until }) => until)],
  }
}
