/**
 * Whether AML searches of earlier runs still hold at a service that names its lists: only where no entry that may concern them came, changed
 * or went since. At any other service a search holds by its age.
 */
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import type { RunState } from '../journal/index.ts'
import type { ScreenQuery } from '../model/requests.ts'
import type { EarlierSearch, SearchAgain, Subject } from '../model/results.ts'
import { readSubjects } from '../results/output/companies.ts'
import { searchKey } from '../reuse/files/row-key.ts'
import { type EarlierSearches, type ListPorts, makeScreenQuery, type Screened, type SearchProof } from '../run/index.ts'

/** Searches of one request. */
const BATCH = 500

type Asked = Pick<ScreenQuery, 'name' | 'person' | 'threshold'> & { readonly hasHits: boolean }

interface KeptLists {
  /** `same`: the lists have not changed; `known`: what changed since is known. */
  readonly state: 'same' | 'known' | 'unknown'
  readonly keys: Buffer[]
  readonly searches: Asked[]
}

interface KeptScreened {
  screened(subject: Subject, ports: ListPorts): Promise<EarlierSearch<Screened> | null>
}

interface ProofNeeds {
  readonly state: () => RunState
  readonly workDir: string
}

const readChanges = (listsKey: string, searches: readonly Asked[], { screening, signal }: ListPorts) =>
  screening.readListChanges(listsKey, searches, { signal })

const digestSearch = (key: Buffer, at: string): Buffer => digestOf(`${key.toString('hex')} ${at}`)

export class KeptSearches implements SearchProof {
  readonly #needs: ProofNeeds
  #lists = new Map<string, KeptLists>()
  /** The searches that no change concerns. */
  #unchanged = new DigestIndex()

  constructor(needs: ProofNeeds) {
    this.#needs = needs
  }

  async prove(find: (key: Buffer) => EarlierSearch<Screened> | null, ports: ListPorts): Promise<void> {
    const { state, workDir } = this.#needs
    const { plan, companies } = state()
    this.#lists = new Map()
    this.#unchanged = new DigestIndex()
    for await (const subject of readSubjects(workDir, companies ?? { listed: 0, nameless: 0 })) {
      const key = searchKey(subject, plan.screen!)
      const found = find(key)
      if (found?.listsKey === undefined) continue
      const lists = this.#lists.get(found.listsKey) ?? (await this.#readState(found.listsKey, ports))
      if (lists.state !== 'known') continue
      lists.keys.push(digestSearch(key, found.at))
      lists.searches.push({ ...makeScreenQuery(subject, plan.screen!), hasHits: found.answer.hits > 0 })
      if (lists.keys.length === BATCH) await this.#ask(found.listsKey, lists, ports)
    }
    for (const [listsKey, lists] of this.#lists) if (lists.keys.length > 0) await this.#ask(listsKey, lists, ports)
  }

  whyAgain(key: Buffer, { at, listsKey }: EarlierSearch<unknown>): SearchAgain['again'] | null {
    if (listsKey === undefined) return null
    const state = this.#lists.get(listsKey)?.state ?? 'unknown'
    if (state === 'unknown') return 'unknown'
    return state === 'same' || this.#unchanged.find(digestSearch(key, at)) !== -1 ? null : 'changed'
  }

  /** The searches of a run without those that do not hold: the run makes them again. */
  watch(earlier: Pick<EarlierSearches, 'proposed' | 'ruled' | 'keep'> & KeptScreened): EarlierSearches {
    return {
      proposed: question => earlier.proposed(question),
      ruled: question => earlier.ruled(question),
      keep: what => earlier.keep(what),
      screened: async (subject, ports) => {
        const found = await earlier.screened(subject, ports)
        const again = found && this.whyAgain(searchKey(subject, this.#needs.state().plan.screen!), found)
        return again === null ? found : { again }
      },
    }
  }

  async #readState(listsKey: string, ports: ListPorts): Promise<KeptLists> {
    const now = listsKey === '' ? null : await readChanges(listsKey, [], ports)
    const state = now === null || now.changed === null ? 'unknown' : now.listsKey === listsKey ? 'same' : 'known'
    const lists: KeptLists = { state, keys: [], searches: [] }
    this.#lists.set(listsKey, lists)
    return lists
  }

  async #ask(listsKey: string, lists: KeptLists, ports: ListPorts): Promise<void> {
    const keys = lists.keys.splice(0)
    const { changed } = await readChanges(listsKey, lists.searches.splice(0), ports)
    if (changed === null) this.#lists.set(listsKey, { ...lists, state: 'unknown' })
    const concerned = new Set(changed)
    if (changed !== null) for (const [at, key] of keys.entries()) if (!concerned.has(at)) this.#unchanged.add(key)
  }
}
