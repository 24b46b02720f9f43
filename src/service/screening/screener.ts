/**
 * Names searched in screening lists by the matching engine: every name and alias of every entry is a document, once among persons and
 * once among businesses. Lists are opened at the first search, and again when an import has replaced one. It keeps no search.
 */
import type { Dataset } from '../../contract/index.ts'
import { buildIndex, type Company, type MatchIndex, match } from '../matching/index.ts'
import { datesAgree, type Entry, listingsUnder, type PersonName } from './entry.ts'
import { readLists } from './lists/files.ts'
import { type OpenList, openList, openSample } from './lists/open.ts'
import { spellingsAsked, spellingsOf } from './names.ts'
import { hitScoreOf } from './score.ts'

/** Whom a search looks for. */
export type SearchType = 'individual' | 'business'

/** What a search asks. */
export interface Question {
  readonly type: SearchType
  readonly name: string
  /** Parts of a person's name, where they were given. */
  readonly person: PersonName | null
  readonly threshold: number
  readonly datasets: readonly Dataset[]
  /** Empty: all. */
  readonly countryCodes: readonly string[]
  readonly dateOfBirth: string | null
  readonly isDobRequired: boolean
  readonly gender: 'male' | 'female' | null
  /** Empty: all. */
  readonly pepTiers: readonly number[]
}

/** An entry that a search found. */
export interface Found {
  readonly list: string
  readonly entry: Entry
  /** The name of the list that matched. */
  readonly match: string
  /** 0 to 100. */
  readonly score: number
}

/** Searches lists. */
export interface Screener {
  /** Makes sure that the lists of this moment are open. Throws FETTLE_INPUT_READ for a damaged one. */
  ready(): Promise<void>
  /** Makes the first search as quick as any other: opens the lists, and indexes them. */
  warm(): Promise<void>
  /** What is found, best first; only after `ready`. */
  search(question: Question): Found[]
  /** An entry as its list has it now; null when it has it no more. Only after `ready`. */
  find(list: string, id: string): Entry | null
  close(): void
}

/** Documents of one type: which entry each belongs to, and what it may reach. */
interface Documents {
  readonly names: string[]
  readonly most: number[]
  readonly entries: number[]
  index: MatchIndex | null
}

interface Opened {
  readonly key: string
  readonly lists: readonly OpenList[]
  /** Number of the first entry of each list; entries are numbered through all lists. */
  readonly starts: readonly number[]
  readonly documents: Readonly<Record<SearchType, Documents>>
}

/** Names looked for at one spelling. */
const MOST = 200

const companyOf = (id: string, name: string): Company => ({
  ...{ id, connectId: id, name, country: '', orgNumber: '', vatNumber: '', tradingNames: [], previousNames: [] },
  ...{ address1: '', address2: '', town: '', postcode: '', phone: '', email: '', website: '', status: '' },
})

const indexOf = (documents: Documents): MatchIndex => {
  documents.index ??= buildIndex(documents.names.map((name, at) => companyOf(String(at), name)))
  return documents.index
}

/** Whether the entry can be meant, its name aside. What a list does not say speaks against nobody, but for a date that is required. */
function isMeant(entry: Entry, question: Question): boolean {
  const { countryCodes, dateOfBirth, gender, pepTiers } = question
  const listings = listingsUnder(entry, question.datasets)
  if (listings.length === 0) return false
  if (countryCodes.length > 0 && entry.countries.length > 0 && !entry.countries.some(one => countryCodes.includes(one)))
    return false
  if (question.type === 'business') return true
  if (gender !== null && entry.gender !== '' && entry.gender !== gender) return false
  if (question.isDobRequired && entry.datesOfBirth.length === 0) return false
  const agrees = (date: string): boolean => datesAgree(date, dateOfBirth ?? date)
  if (dateOfBirth !== null && entry.datesOfBirth.length > 0 && !entry.datesOfBirth.some(agrees)) return false
  const { pepTier } = entry
  if (pepTiers.length === 0 || pepTier === null || pepTiers.includes(pepTier)) return true
  // Another tier than asked for: it is only out when nothing but its position makes it a hit.
  return listings.some(({ code }) => !code.startsWith('PEP'))
}

/** The screener on the lists of a folder; on the made-up sample when it holds none, or when there is no folder. */
export function openScreener(dir: string | null): Screener {
  let opened: Opened | null = null
  let opening: Promise<void> | null = null

  const openAll = async (): Promise<void> => {
    const infos = dir === null ? [] : await readLists(dir)
    const key = infos.map(({ name, file }) => `${name}/${file}`).join()
    if (opened?.key === key) return
    const documents: Opened['documents'] = {
      individual: { names: [], most: [], entries: [], index: null },
      business: { names: [], most: [], entries: [], index: null },
    }
    let entries = 0
    const take = (entry: Entry): void => {
      const number = entries++
      for (const type of ['individual', 'business'] as const) {
        if (entry.type !== type && entry.type !== 'either') continue
        for (const { text, most } of spellingsOf(entry, type === 'individual')) {
          documents[type].names.push(text)
          documents[type].most.push(most)
          documents[type].entries.push(number)
        }
      }
    }
    const lists: OpenList[] = []
    const starts: number[] = []
    try {
      for (const info of infos) {
        starts.push(entries)
        lists.push(await openList(dir ?? '', info, take))
      }
      if (infos.length === 0) {
        starts.push(0)
        lists.push(await openSample(take))
      }
    } catch (error) {
      for (const list of lists) list.close()
      throw error
    }
    const before = opened
    opened = { key, lists, starts, documents }
    for (const list of before?.lists ?? []) list.close()
  }

  const now = (): Opened => {
    if (opened === null) throw new Error('no list is open yet')
    return opened
  }

  const entryAt = (number: number): { list: OpenList; entry: Entry } => {
    const { lists, starts } = now()
    const at = starts.findLastIndex(start => start <= number)
    const list = lists[at] as OpenList
    return { list, entry: list.at(number - (starts[at] ?? 0)) }
  }

  const ready = (): Promise<void> => {
    // Once more: an import may have replaced a list between the reading of its facts and of its file.
    opening ??= openAll()
      .catch(openAll)
      .finally(() => {
        opening = null
      })
    return opening
  }

  return {
    ready,

    async warm() {
      await ready()
      for (const documents of Object.values(now().documents)) indexOf(documents)
    },

    search(question) {
      const documents = now().documents[question.type]
      const index = indexOf(documents)
      const best = new Map<number, { document: number; score: number }>()
      for (const { text, most } of spellingsAsked(question.name, question.person, question.type === 'individual')) {
        for (const candidate of match(index, { name: text }, MOST).candidates) {
          const document = candidate.company
          const score = Math.min(hitScoreOf(candidate), most, documents.most[document] ?? 0)
          const entry = documents.entries[document] ?? 0
          if (score >= question.threshold && score > (best.get(entry)?.score ?? 0)) best.set(entry, { document, score })
        }
      }
      return [...best]
        .map(([number, { document, score }]) => ({ number, score, match: documents.names[document] ?? '', ...entryAt(number) }))
        .filter(({ entry }) => isMeant(entry, question))
        .sort((a, b) => b.score - a.score || a.number - b.number)
        .map(({ list, entry, match: matched, score }) => ({ list: list.name, entry, match: matched, score }))
    },

    find(name, id) {
      const list = now().lists.find(one => one.name === name)
      const position = list?.find(id) ?? null
      return list === undefined || position === null ? null : list.at(position)
    },

    close() {
      for (const list of opened?.lists ?? []) list.close()
      opened = null
    },
  }
}
