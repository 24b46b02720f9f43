/** The index as `match` reads it: views of one shared buffer. Any number of threads may read one image. */

import type { LegalClass } from '../../../normalise/company-name.ts'
import type { Company } from '../types.ts'
import { type Companies, type CompanyIdentifiers, companiesIn, identifiersIn } from './companies.ts'
import { type Dictionary, dictionaryIn } from './dictionary.ts'
import { type KeyIndex, keysIn } from './key-index.ts'
import { type IndexImage, type Need, unpack } from './packed-columns.ts'
import { type Postings, postingsIn } from './postings.ts'
import { type RepeatedTextColumn, repeatedTextIn, type TextColumn, textColumnIn } from './text-columns.ts'

export type NameKind = 'name' | 'tradingName' | 'previousName' | 'confirmed'

/** Companies keep their position; a document is one name of one company. */
export interface MatchIndex {
  readonly image: IndexImage
  readonly companies: Companies
  readonly identifiers: CompanyIdentifiers
  readonly countries: RepeatedTextColumn
  readonly dictionary: Dictionary
  /** Words of document d, in order: wordIds[wordStarts[d]] up to wordIds[wordStarts[d + 1]]. */
  readonly wordStarts: Uint32Array
  readonly wordIds: Uint32Array
  /** '' for a name without a legal form. */
  readonly legal: RepeatedTextColumn<LegalClass | ''>
  /** What distinguishes the company of a document from its sisters. */
  readonly marks: RepeatedTextColumn
  readonly kinds: RepeatedTextColumn<NameKind>
  readonly companyOf: Uint32Array
  /** Documents of company c: from documentStarts[c] up to documentStarts[c + 1]. */
  readonly documentStarts: Uint32Array
  readonly byWord: Postings
  readonly byTrigram: Postings
  readonly keys: KeyIndex
  /** Documents by their words without spaces, by initials (behind a dot), and by their company's domain label. */
  readonly names: KeyIndex
  readonly address: {
    readonly dictionary: Dictionary
    readonly starts: Uint32Array
    readonly ids: Uint32Array
    readonly needIds: Need | null
    readonly idf: Float32Array
  }
  readonly towns: RepeatedTextColumn
  /** 0 for a company whose register status is not active. */
  readonly active: Uint8Array
  /** Position of the first company of each register, in the order of the registers; empty for an index without registers. */
  readonly registerStarts: Uint32Array
  /** First label of each company's web or mail domain, normalised: `acmetools` of `www.acme-tools.co.uk`. */
  readonly labels: TextColumn
}

/** The company with this connectId; null when the index does not have it. */
export function companyWithId({ keys, companies }: MatchIndex, connectId: string): Company | null {
  for (const position of keys.lookup(`i${connectId}`)) {
    const company = companies.at(position)
    if (company.connectId === connectId) return company
  }
  return null
}

/** Creates views of an image without copying. */
export function viewIndex(image: IndexImage): MatchIndex {
  const columns = unpack(image)
  const companies = companiesIn(columns)
  const [wordStarts, wordIds] = [columns.u32('wordStarts'), columns.u32('wordIds')]
  const byWord = postingsIn(columns, 'byWord')
  const dictionary = dictionaryIn(columns, 'dictionary', byWord.idf.length)
  const idf = columns.f32('places.idf')
  return {
    image,
    companies,
    identifiers: identifiersIn(columns, companies),
    countries: repeatedTextIn(columns, 'countries'),
    dictionary,
    wordStarts,
    wordIds,
    legal: repeatedTextIn<LegalClass | ''>(columns, 'legal'),
    marks: repeatedTextIn(columns, 'marks'),
    kinds: repeatedTextIn<NameKind>(columns, 'kinds'),
    companyOf: columns.u32('companyOf'),
    documentStarts: columns.u32('documentStarts'),
    byWord,
    byTrigram: postingsIn(columns, 'byTrigram'),
    keys: keysIn(columns, 'keys'),
    names: keysIn(columns, 'names'),
    address: {
      dictionary: dictionaryIn(columns, 'places.words', idf.length),
      starts: columns.u32('places.starts'),
      ids: columns.u32('places.ids'),
      needIds: columns.need('places.ids'),
      idf,
    },
    towns: repeatedTextIn(columns, 'towns'),
    active: columns.u8('active'),
    registerStarts: columns.u32('registerStarts'),
    labels: textColumnIn(columns, 'labels'),
  }
}
