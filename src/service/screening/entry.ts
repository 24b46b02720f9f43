/** The entries of screening lists, which all importers produce, and the dataset codes of an entry (contract §6.8). */
import type { Dataset } from '../../contract/index.ts'

/** Reasons of a listing. They are finer than the dataset codes, which do not separate all current and former ones. */
export const LISTING_CODES = [
  'SAN-CURRENT',
  'SAN-FORMER',
  'PEP-CURRENT',
  'PEP-FORMER',
  'PEP-LINKED',
  'SOE-CURRENT',
  'SOE-FORMER',
  'INS',
  'AM',
  'POI',
  'ENF',
] as const

export type ListingCode = (typeof LISTING_CODES)[number]

type Texts<Name extends string> = Readonly<Record<Name, string>>

/**
 * One reason why an entry is on a list; '' for missing values. `body` is the authority, or the title of the list; `what` a public position, the
 * relationship of a linked person, or a category.
 */
export interface Listing extends Texts<'reference' | 'body' | 'origin' | 'regime' | 'what' | 'country' | 'from' | 'to'> {
  readonly code: ListingCode
  /** Measures or kinds of sanction. */
  readonly measures: readonly string[]
}

/** `type` is `alias`, `weak alias`, `former name`, `original script` or the list's own word. */
export type Alias = Texts<'type' | 'name'>

/** An address; '' for unknown parts. */
export type EntryAddress = Texts<'line1' | 'line2' | 'city' | 'postalCode' | 'countryCode'>

/** A value with its type, such as a passport or telephone number. */
export type Typed = Texts<'type' | 'value'>

export interface Entry {
  /** Id within the list. */
  readonly id: string
  /** `either` when the list has no type. */
  readonly type: 'individual' | 'business' | 'either'
  readonly name: string
  /** Parts of a person's name; null when the list has only the full name. */
  readonly person: PersonName | null
  readonly aliases: readonly Alias[]
  readonly listings: readonly Listing[]
  /** ISO 3166 alpha-2. */
  readonly countries: readonly string[]
  readonly gender: 'male' | 'female' | ''
  /** `YYYY` or `YYYY-MM-DD`. */
  readonly datesOfBirth: readonly string[]
  readonly datesOfDeath: readonly string[]
  readonly pepTier: 1 | 2 | 3 | null
  readonly addresses: readonly EntryAddress[]
  readonly identifiers: readonly Typed[]
  readonly contacts: readonly Typed[]
  readonly links: readonly Typed[]
  readonly images: readonly string[]
  readonly notes: readonly string[]
  readonly description: string
  readonly businessTypes: readonly string[]
  readonly sources: readonly Texts<'title' | 'link' | 'dateAdded'>[]
}

export type PersonName = Texts<'first' | 'middle' | 'last'>

/** Creates a listing with empty values for missing fields. */
export const makeListing = (code: ListingCode, known: Partial<Listing> = {}): Listing => ({
  ...{ code, reference: '', body: '', origin: '', regime: '', measures: [], what: '', country: '', from: '', to: '' },
  ...known,
})

/** Creates an entry with empty values for missing fields. */
export const makeEntry = (known: Pick<Entry, 'id' | 'type' | 'name' | 'listings'> & Partial<Entry>): Entry => ({
  ...{ person: null, aliases: [], countries: [], gender: '', datesOfBirth: [], datesOfDeath: [], pepTier: null, addresses: [] },
  ...{ identifiers: [], contacts: [], links: [], images: [], notes: [], description: '', businessTypes: [], sources: [] },
  ...known,
})

/** The dataset codes of a listing, its family first. */
const listCodes = (code: ListingCode): Dataset[] => {
  const family = code.split('-', 1)[0] as Dataset
  // Within PEP, only linked persons have a separate code.
  return code === family || code === 'PEP-CURRENT' || code === 'PEP-FORMER' ? [family] : [family, code]
}

export const listDatasets = (listings: readonly Listing[]): Dataset[] => [
  ...new Set(listings.flatMap(({ code }) => listCodes(code))),
]

export const listingsUnder = ({ listings }: Pick<Entry, 'listings'>, datasets: readonly Dataset[]): readonly Listing[] =>
  listings.filter(({ code }) => listCodes(code).some(dataset => datasets.includes(dataset)))
