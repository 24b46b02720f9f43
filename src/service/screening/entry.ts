/**
 * One entry of a screening list: who it is, and what it is listed for. Every importer makes it, everything else reads it. Types,
 * and which dataset codes an entry falls under (contract §6.8).
 */
import type { Dataset } from '../../contract/index.ts'

/** What an entry is listed for, finer than the codes: the former of those that have both. */
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

/** One of them. */
export type ListingCode = (typeof LISTING_CODES)[number]

/** One reason why an entry is on a list; '' where the list does not say. */
export interface Listing {
  readonly code: ListingCode
  /** Number under which it is listed there. */
  readonly reference: string
  /** Who listed it, or in which list. */
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

/** A further name of an entry. */
export interface Alias {
  /** `alias`, `weak alias`, `former name`, `original script` or the list's own word. */
  readonly type: string
  readonly name: string
}

/** An address, as far as its parts are known. */
export interface EntryAddress {
  readonly line1: string
  readonly line2: string
  readonly city: string
  readonly postalCode: string
  readonly countryCode: string
}

/** A kind with its value: a number of an identity paper, a telephone number. */
export interface Typed {
  readonly type: string
  readonly value: string
}

/** Where an entry is told of. */
export interface EntrySource {
  readonly title: string
  readonly link: string
  readonly dateAdded: string
}

/** An entry. */
export interface Entry {
  /** Its id in its list. */
  readonly id: string
  /** `either`: the list does not say which. */
  readonly type: 'individual' | 'business' | 'either'
  readonly name: string
  /** Parts of a person's name, where the list has them. */
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

/** A person's name in its parts. */
export interface PersonName {
  readonly first: string
  readonly middle: string
  readonly last: string
}

/** A listing of which only some is known. */
export const listingOf = (code: ListingCode, known: Partial<Listing> = {}): Listing => ({
  ...{ code, reference: '', body: '', origin: '', regime: '', measures: [], what: '', country: '', from: '', to: '' },
  ...known,
})

/** An entry of which only some is known. */
export const entryOf = (known: Pick<Entry, 'id' | 'type' | 'name' | 'listings'> & Partial<Entry>): Entry => ({
  ...{ person: null, aliases: [], countries: [], gender: '', datesOfBirth: [], datesOfDeath: [], pepTier: null, addresses: [] },
  ...{ identifiers: [], contacts: [], links: [], images: [], notes: [], description: '', businessTypes: [], sources: [] },
  ...known,
})

/** The dataset codes a listing falls under, the whole family first. */
const codesOf = (code: ListingCode): Dataset[] => {
  const family = code.split('-', 1)[0] as Dataset
  // Of PEP only the linked ones have a code of their own.
  return code === family || code === 'PEP-CURRENT' || code === 'PEP-FORMER' ? [family] : [family, code]
}

/** The dataset codes of some listings, each once. */
export const datasetsOf = (listings: readonly Listing[]): Dataset[] => [...new Set(listings.flatMap(({ code }) => codesOf(code)))]

/** The listings of an entry that fall under one of these codes. */
export const listingsUnder = ({ listings }: Pick<Entry, 'listings'>, asked: readonly Dataset[]): readonly Listing[] =>
  listings.filter(({ code }) => codesOf(code).some(one => asked.includes(one)))

/** Whether two dates, each a year or a day, can be the same: a year agrees with every day in it. */
export const datesAgree = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one)
