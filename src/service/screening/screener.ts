/**
 * Searches names in screening lists, and scores the hits. Every name and alias of every entry is a document, among
 * persons, businesses or both. Lists are opened at the first search, and again after an import.
 */
import { type Entry, listingsUnder } from './entry.ts'
import { changesSince, type ListInfo, type OpenList, openList, openSample, readLists } from './lists/import.ts'
import { NameIndex } from './names.ts'
import { Reverse } from './reverse.ts'
import { capScore, type Found, listSpellings, type Question, type SearchType, searchSpellings } from './spellings.ts'

export type { Found, Question, SearchType } from './spellings.ts'

/** Documents of one type: name, highest score and entry of each. */
type Documents = { readonly names: string[]; readonly most: number[]; readonly entries: number[]; index: NameIndex | null }

interface Opened {
  readonly key: string
  /** Of the imported lists: none for the sample. */
  readonly infos: readonly ListInfo[]
  readonly lists: readonly OpenList[]
  /** Number of the first entry of each list. Entries are numbered across all lists. */
  readonly starts: readonly number[]
  readonly documents: Readonly<Record<SearchType, Documents>>
}

const openIndex = (documents: Documents, isPerson: boolean): NameIndex => {
  documents.index ??= new NameIndex(documents.names, isPerson)
  return documents.index
}

/** Whether the entry fits the criteria beside the name. A missing value fits, except a required date of birth. */
function fitsCriteria(entry: Entry, question: Question): boolean {
  const { countryCodes, dateOfBirth, gender, pepTiers } = question
  const listings = listingsUnder(entry, question.datasets)
  if (listings.length === 0) return false
  if (countryCodes.length > 0 && entry.countries.length > 0 && !entry.countries.some(code => countryCodes.includes(code)))
    return false
  if (question.type === 'business') return true
  if (gender !== null && entry.gender !== '' && entry.gender !== gender) return false
  if (question.isDobRequired && entry.datesOfBirth.length === 0) return false
  // A year agrees with all its days.
  const agrees = (date: string): boolean => date.startsWith(dateOfBirth ?? '') || (dateOfBirth ?? '').startsWith(date)
  if (dateOfBirth !== null && entry.datesOfBirth.length > 0 && !entry.datesOfBirth.some(agrees)) return false
  const { pepTier } = entry
  if (pepTiers.length === 0 || pepTier === null || pepTiers.includes(pepTier)) return true
  // An entry with another PEP tier fits if it has a listing other than PEP.
  return listings.some(({ code }) => !code.startsWith('PEP'))
}

/** A screener for the lists of a folder. Without lists or folder it searches the fictitious sample. */
export class Screener {
  readonly #dir: string | null
  #opened: Opened | null = null
  #opening: Promise<void> | null = null

  /** Of the program, whose versions may find different entries. */
  readonly version: string

  constructor(dir: string | null, version = '') {
    this.#dir = dir
    this.version = version
  }

  /** Opens the current lists unless they are open. Throws FETTLE_INPUT_READ for a damaged one. */
  ready(): Promise<void> {
    // Retried once: an import may replace a list after its info was read.
    this.#opening ??= this.#openAll()
      .catch(() => this.#openAll())
      .finally(() => {
        this.#opening = null
      })
    return this.#opening
  }
  /** Opens and indexes the lists, so that the first search is as fast as later ones. */
  async warm(): Promise<void> {
    await this.ready()
    const { individual, business } = this.#now().documents
    openIndex(individual, true)
    openIndex(business, false)
  }

  /** The hits, best first. Call `ready` before. */
  search(question: Question): Found[] {
    const documents = this.#now().documents[question.type]
    const isPerson = question.type === 'individual'
    const index = openIndex(documents, isPerson)
    const best = new Map<number, { document: number; score: number }>()
    for (const { text, most } of searchSpellings(question.name, question.person, isPerson)) {
      for (const { number: document, score: alike } of index.find(text, question.threshold)) {
        const score = capScore(capScore(alike, most), documents.most[document] ?? 0)
        const entry = documents.entries[document] ?? 0
        if (score >= question.threshold && score > (best.get(entry)?.score ?? 0)) best.set(entry, { document, score })
      }
    }
    return [...best]
      .map(([number, { document, score }]) => ({
        number,
        score,
        match: documents.names[document] ?? '',
        ...this.#entryAt(number),
      }))
      .filter(({ entry }) => fitsCriteria(entry, question))
      .sort((a, b) => b.score - a.score || a.number - b.number)
      .map(({ list, entry, match: matched, score }) => ({ list: list.name, entry, match: matched, score }))
  }

  /** What changed since the lists of an earlier `key`; null where that is not known. Call `ready` before. */
  async reverse(key: string): Promise<Reverse | null> {
    const { infos, documents } = this.#now()
    const [version, ...lists] = key.split(',')
    const before = new Map(lists.map(text => text.split('/') as [string, string]))
    if (version !== this.version || infos.length === 0 || before.size !== infos.length) return null
    const changes = await Promise.all(infos.map(info => changesSince(this.#dir ?? '', info, before.get(info.name) ?? '')))
    if (changes.includes(null)) return null
    const wordsOf = (type: SearchType) => openIndex(documents[type], type === 'individual').words
    return new Reverse(
      changes.flatMap(names => names ?? []),
      { individual: wordsOf('individual'), business: wordsOf('business') },
    )
  }

  /** The current entry of a list; null when the list no longer has it. Call `ready` before. */
  find(name: string, id: string): Entry | null {
    const list = this.#now().lists.find(list => list.name === name)
    const position = list?.find(id) ?? null
    return list === undefined || position === null ? null : list.at(position)
  }

  /** Names what is searched now, and by what: the version, and the lists by their content. Call `ready` before. */
  get key(): string {
    return this.#makeKey(this.#now().infos)
  }

  /** The key of the lists that the next `ready` opens. */
  async readKey(): Promise<string> {
    return this.#makeKey(this.#dir === null ? [] : await readLists(this.#dir))
  }

  /** The imported lists that are searched. Call `ready` before. */
  get infos(): readonly ListInfo[] {
    return this.#now().infos
  }

  /** Every entry with its list. Call `ready` before. */
  *entries(): Generator<{ list: string; entry: Entry }> {
    for (const list of this.#now().lists) for (let at = 0; at < list.entries; at++) yield { list: list.name, entry: list.at(at) }
  }

  close(): void {
    for (const list of this.#opened?.lists ?? []) list.close()
    this.#opened = null
  }

  async #openAll(): Promise<void> {
    const infos = this.#dir === null ? [] : await readLists(this.#dir)
    const key = infos.map(({ name, file }) => `${name}/${file}`).join()
    if (this.#opened?.key === key) return
    const makeDocuments = (): Documents => ({ names: [], most: [], entries: [], index: null })
    const documents = { individual: makeDocuments(), business: makeDocuments() }
    let entries = 0
    const addEntry = (entry: Entry): void => {
      const number = entries++
      for (const type of ['individual', 'business'] as const) {
        if (entry.type !== type && entry.type !== 'either') continue
        for (const { text, most } of listSpellings(entry, type === 'individual')) {
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
        lists.push(await openList(this.#dir ?? '', info, addEntry))
      }
      if (infos.length === 0) {
        starts.push(0)
        lists.push(await openSample(addEntry))
      }
    } catch (error) {
      for (const list of lists) list.close()
      throw error
    }
    const before = this.#opened
    this.#opened = { key, infos, lists, starts, documents }
    for (const list of before?.lists ?? []) list.close()
  }

  #makeKey(infos: readonly ListInfo[]): string {
    return [this.version, ...infos.map(({ name, fileSha256 }) => `${name}/${fileSha256}`)].join()
  }

  #now(): Opened {
    if (this.#opened === null) throw new Error('no list is open yet')
    return this.#opened
  }

  #entryAt(number: number): { list: OpenList; entry: Entry } {
    const { lists, starts } = this.#now()
    const at = starts.findLastIndex(start => start <= number)
    const list = lists[at] as OpenList
    return { list, entry: list.at(number - (starts[at] ?? 0)) }
  }
}
