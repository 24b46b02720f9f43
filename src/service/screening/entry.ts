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

/** One reason why an entry is on a list; '' for missing values. */
export interface Listing {
  readonly code: ListingCode
  /** Reference number of the listing. */
  readonly reference: string
  /** The authority, or the title of the list. */
  readonly body: string
  readonly origin: string
  readonly regime: string
  /** Measures or kinds of sanction. */
  readonly measures: readonly string[]
  /** Public position, relationship of a linked person, or category. */
  readonly what: string
  readonly country: string
  readonly from: string
  readonly to: string
}

export interface Alias {
  /** `alias`, `weak alias`, `former name`, `original script` or the list's own word. */
  readonly type: string
  readonly name: string
}

/** An address; '' for unknown parts. */
export interface EntryAddress {
  readonly line1: string
  readonly line2: string
  readonly city: string
  readonly postalCode: string
  readonly countryCode: string
}

/** A value with its type, such as a passport or telephone number. */
export interface Typed {
  readonly type: string
  readonly value: string
}

export interface EntrySource {
  readonly title: string
  readonly link: string
  readonly dateAdded: string
}

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
  readonly sources: readonly EntrySource[]
}

export interface PersonName {
  readonly first: string
  readonly middle: string
  readonly last: string
}

/** Creates a listing with empty values for missing fields. */
export const listingOf = (code: ListingCode, known: Partial<Listing> = {}): Listing => ({
  ...{ code, reference: '', body: '', origin: '', regime: '', measures: [], what: '', country: '', from: '', to: '' },
  ...known,
})

/** Creates an entry with empty values for missing fields. */
export const entryOf = (known: Pick<Entry, 'id' | 'type' | 'name' | 'listings'> & Partial<Entry>): Entry => ({
  ...{ person: null, aliases: [], countries: [], gender: '', datesOfBirth: [], datesOfDeath: [], pepTier: null, addresses: [] },
  ...{ identifiers: [], contacts: [], links: [], images: [], notes: [], description: '', businessTypes: [], sources: [] },
  ...known,
})

/** The dataset codes of a listing, its family first. */
const codesOf = (code: ListingCode): Dataset[] => {
  const family = code.split('-', 1)[0] as Dataset
  // Within PEP, only linked persons have a separate code.
  return code === family || code === 'PEP-CURRENT' || code === 'PEP-FORMER' ? [family] : [family, code]
}

export const datasetsOf = (listings: readonly Listing[]): Dataset[] => [...new Set(listings.flatMap(({ code }) => codesOf(code)))]

export const listingsUnder = ({ listings }: Pick<Entry, 'listings'>, datasets: readonly Dataset[]): readonly Listing[] =>
  listings.filter(({ code }) => codesOf(code).some(one => datasets.includes(one)))

/** Whether two dates, each a year or a day, may be the same: a year agrees with all its days. */
export const datesAgree = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one)
