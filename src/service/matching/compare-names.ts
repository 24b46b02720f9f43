/**
 * The name features of one query name against one document. Fills a vector; weighs nothing.
 */
import { align } from './align.ts'
import { AT } from './features.ts'
import type { MatchIndex } from './match-index.ts'
import type { QueryName } from './query.ts'
import { pairDice, wordSimilarity } from './similarity.ts'

/** How far the label of a web domain is the name; an opening counts from five letters. */
function compareLabel(label: string, joined: string): number {
  if (label === '' || joined.length < 4) return 0
  if (label === joined) return 1
  const [short, long] = label.length < joined.length ? [label, joined] : [joined, label]
  return short.length >= 5 && long.startsWith(short) ? short.length / long.length : 0
}

/** Fills the name features of `vector`, which must be zero elsewhere. */
export function compareNames(index: MatchIndex, name: QueryName, document: number, vector: Float64Array): void {
  const joined = index.joined.at(document)
  const first = index.dictionary.word(index.wordIds[index.wordStarts[document]!]!)

  const aligned = align(index, name, document)
  const { query, company, matched } = aligned
  // The same words in another order are the same name: `J W Mays` and `MAYS J W`.
  const exact = joined === name.joined || (query > 0.9999 && company > 0.9999)
  vector[AT.bias] = 1
  vector[AT.coverBoth] = query + company > 0 ? (2 * query * company) / (query + company) : 0
  vector[AT.pairs] = pairDice(name.pairs, joined)
  vector[AT.matched] = Math.min(1, matched / 3)
  vector[AT.missCompany] = exact ? 0 : aligned.missCompany
  vector[AT.extraQuery] = exact ? 0 : Math.min(1, aligned.extraQuery / 3)
  vector[AT.extraCompany] = exact ? 0 : Math.min(1, aligned.extraCompany / 3)
  if (!exact && aligned.extraQuery === 0) vector[aligned.extraCompany === 0 ? AT.allPaired : AT.queryPaired] = 1
  vector[AT.firstWord] = exact ? 1 : wordSimilarity(name.words[0]!, first)
  const [short, long] = joined.length < name.joined.length ? [joined, name.joined] : [name.joined, joined]
  vector[AT.prefix] = short.length >= 4 && long.startsWith(short) ? short.length / long.length : 0
  const initials = index.initials.at(document)
  if ((initials !== '' && initials === name.joined) || (name.initials !== '' && name.initials === joined)) {
    // What stands behind the letters is not missing.
    vector[AT.acronym] = 1
    vector[AT.missCompany] = vector[AT.extraQuery] = vector[AT.extraCompany] = 0
  }
  if (exact) {
    vector[AT.exact] = 1
    vector[AT.exactRare] = vector[AT.matched]!
  }
  const own = index.digits.at(document)
  const legal = index.legal.at(document)
  if (legal !== null && legal === name.legal) vector[AT.legalAgree] = 1
  else if (legal !== null && name.legal !== null && legal !== 'weak' && name.legal !== 'weak') vector[AT.legalDiffer] = 1
  if (name.digits !== own) vector[AT.numbersDiffer] = name.digits === '' || own === '' ? 0.5 : 1
  vector[AT.domainName] = compareLabel(index.labels.at(index.companyOf[document]!), name.joined)
  if (index.kinds.at(document) === 'previousName') vector[AT.former] = 1
}
