/** Uses AML searches, questions for candidates and decisions that earlier runs paid, and stores what a run paid for later ones. */
import { join } from 'node:path'
import { defined } from '../defined.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { readJsonLines } from '../files/json-lines.ts'
import type { HeldLock } from '../files/process-lock.ts'
import { type RunEvent, type RunState, readJournal } from '../journal/index.ts'
import type { ProposedCompany } from '../model/requests.ts'
import type { EarlierSearch, Question, Subject, TreeAnswer, TreeQuestion } from '../model/results.ts'
import type { KnownSearches, Plan } from '../pipeline/index.ts'
import { answersFile, QUESTIONS_FILE, TREE_FILE } from '../results/file-names.ts'
import { readSubjects } from '../results/output/companies.ts'
import { questionMaker, readQuestions } from '../results/questions.ts'
import { readTreeQuestions } from '../results/tree-questions.ts'
import type { EarlierSearches, ListPorts, Screened, SearchProof } from '../run/index.ts'
import { AnswerFolder, type AskedKeys, type Busy, type Waiting } from './answer-folder.ts'
import { type AnswerOutcome, AnswersWriter, classifyOutcome } from './files/answers.ts'
import { candidatesKey, companyOwner, nameOwner, searchKey, treeKey } from './files/row-key.ts'
import type { KnownAnswers } from './known-answers.ts'
import { type SearchKind, scopeOf } from './settings.ts'

type Owner = Pick<RunState, 'plan' | 'identity'>
type Chosen = { readonly keys: readonly Buffer[]; readonly known: KnownAnswers | null }

/** The files of a run. */
interface RunFiles {
  readonly path: string
  readonly journal: string
}

interface SearchSettings {
  /** The folder of the answers of all scopes. */
  readonly answers: string
  readonly now: () => number
  /** Searches again, and stores what it finds. */
  readonly refreshes: boolean
}

interface Found {
  readonly key: Buffer
  /** See `companyOwner` and `nameOwner`. */
  readonly owner: Buffer
  readonly answer: unknown
  readonly listsKey?: string | undefined
}

interface Kind {
  /** The keys of all that the stage is about to ask. */
  readonly keys: (path: string, state: RunState) => AsyncGenerator<Buffer>
  /** What an event found; null for any other event. `owners`: see `readOwners`. */
  readonly found: (event: RunEvent, state: RunState, owners: ReadonlyMap<string, Buffer>) => Found | null
}

const NO_OWNER = nameOwner('')

const KINDS: Readonly<Record<SearchKind, Kind>> = {
  screen: {
    async *keys(path, { plan, companies }) {
      for await (const who of readSubjects(path, companies ?? { listed: 0, nameless: 0 })) yield searchKey(who, plan.screen!)
    },
    found: (event, { plan }) => {
      if (event.type !== 'screen.finished') return null
      const { id, searchId, hits, risks, found } = event.company
      const answer: Screened = { searchId, hits, risks, found }
      return { key: searchKey(event.company, plan.screen!), owner: companyOwner(id), answer, listsKey: event.listsKey }
    },
  },
  candidates: {
    async *keys(path, { candidates }) {
      for await (const { id } of readQuestions(path, candidates?.counts?.listed ?? 0)) yield candidatesKey(id)
    },
    found: (event, _, owners) => {
      if (event.type !== 'candidates.found') return null
      return { key: candidatesKey(event.question), owner: owners.get(event.question) ?? NO_OWNER, answer: event.companies }
    },
  },
  decide: {
    async *keys(path, { tree }) {
      for await (const { id } of readTreeQuestions(path, tree?.listed ?? 0)) yield treeKey(tree?.found ?? null, id)
    },
    found: (event, { tree }, owners) => {
      if (event.type !== 'decide.made') return null
      const owner = owners.get(event.question) ?? NO_OWNER
      return { key: treeKey(tree?.found ?? null, event.question), owner, answer: event.answer }
    },
  },
}

/** Whom the questions of a run are about, by their ids: a company or a name. */
async function readOwners(kind: SearchKind, path: string): Promise<Map<string, Buffer>> {
  const owners = new Map<string, Buffer>()
  if (kind === 'candidates')
    for await (const { id, query } of readJsonLines<Question>(join(path, QUESTIONS_FILE)))
      owners.set(id, nameOwner(query.name ?? ''))
  if (kind === 'decide')
    for await (const { id, company } of readJsonLines<TreeQuestion>(join(path, TREE_FILE))) owners.set(id, companyOwner(company))
  return owners
}

/** Where the searches of a kind are kept; null where the pipeline names no age for them. */
function openFolder(kind: SearchKind, { plan, identity }: Owner, answers: string, now: () => number) {
  const age = plan.reuse?.[kind]
  return age === undefined ? null : { age, folder: new AnswerFolder(answers, scopeOf(kind, plan, identity), now) }
}

type RunNeeds = SearchSettings & { readonly waiting: Waiting; readonly proof: SearchProof }

interface Opened {
  readonly age: number
  readonly folder: AnswerFolder
  /** Null where everything is searched again. */
  readonly known: KnownAnswers | null
  readonly held: HeldLock
}

/** The searches of a run of one kind: what earlier runs found, and what this one asks. Always call `close`. */
export class RunSearches implements EarlierSearches {
  readonly #state: () => RunState
  readonly #directory: RunFiles
  readonly #settings: RunNeeds
  readonly #opened = new Map<SearchKind, Promise<Opened | null>>()

  constructor(state: () => RunState, directory: RunFiles, settings: RunNeeds) {
    this.#state = state
    this.#directory = directory
    this.#settings = settings
  }

  screened(company: Subject, ports: ListPorts): Promise<EarlierSearch<Screened> | null> {
    return this.#find('screen', searchKey(company, this.#state().plan.screen!), ports)
  }

  proposed({ id }: Question): Promise<EarlierSearch<readonly ProposedCompany[]> | null> {
    return this.#find('candidates', candidatesKey(id))
  }

  ruled({ id }: TreeQuestion): Promise<EarlierSearch<TreeAnswer> | null> {
    return this.#find('decide', treeKey(this.#state().tree?.found ?? null, id))
  }

  async keep(kind: SearchKind): Promise<number> {
    const count = await keepSearches(kind, this.#state(), this.#directory, this.#settings)
    ;(await this.#opened.get(kind))?.held.release()
    return count
  }

  async close(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#opened.values())) {
      if (opened.status === 'rejected') continue
      opened.value?.known?.close()
      opened.value?.held.release()
    }
  }

  async #find<Answer>(kind: SearchKind, key: Buffer, ports: ListPorts | null = null): Promise<EarlierSearch<Answer> | null> {
    const opening = this.#opened.get(kind) ?? this.#open(kind, ports)
    this.#opened.set(kind, opening)
    const opened = await opening
    return opened?.known == null ? null : findSearch(opened.known, key, opened.age, this.#settings.now())
  }

  /** Names all that the stage is about to ask, so that no other run pays for it meanwhile. */
  async #open(kind: SearchKind, ports: ListPorts | null): Promise<Opened | null> {
    const { answers, now, refreshes, waiting, proof } = this.#settings
    const state = this.#state()
    const place = openFolder(kind, state, answers, now)
    if (place === null) return null
    const { folder, age } = place
    const choose = async (others: readonly AskedKeys[]): Promise<Chosen | Busy> => {
      const known = refreshes ? null : folder.open([], now())
      const keys: Buffer[] = []
      for await (const key of KINDS[kind].keys(this.#directory.path, state)) {
        const found = known && findSearch(known, key, age, now())
        if (found !== null && proof.whyAgain(key, found) === null) continue
        const busy = refreshes ? undefined : others.find(other => other.isAtWork && other.keys.find(key) !== -1)
        if (busy !== undefined) {
          known?.close()
          return { waitFor: busy.runId }
        }
        keys.push(key)
      }
      return { keys, known }
    }
    for (;;) {
      if (ports !== null && !refreshes) {
        const known = folder.open([], now())
        await proof.prove(key => findSearch(known, key, age, now()), ports).finally(() => known.close())
      }
      const asked = await folder.ask(state.runId, waiting, choose)
      if (asked !== null) return { age, folder, known: asked.chosen.known, held: asked.held }
    }
  }
}

/** Puts what a run has searched where later runs find it. Returns how many searches that are. Throws FETTLE_OUTPUT_WRITE. */
export async function keepSearches(
  kind: SearchKind,
  state: RunState,
  directory: RunFiles,
  { answers, now, waiting }: Pick<SearchSettings, 'answers' | 'now'> & { readonly waiting: Waiting },
): Promise<number> {
  const place = openFolder(kind, state, answers, now)
  if (place === null) return 0
  const { folder, age } = place
  const writer = new AnswersWriter(join(directory.path, answersFile(kind)))
  const owners = await readOwners(kind, directory.path)
  let last = ''
  try {
    for (const event of readJournal(directory.journal).events) {
      const found = KINDS[kind].found(event, state, owners)
      if (found === null) continue
      const { answer, listsKey, ...about } = found
      if (event.at > last) last = event.at
      const cells = [event.at, JSON.stringify(answer), listsKey ?? []].flat()
      await writer.add({ ...about, row: null, source: 0, outcome: 'searched', cells })
    }
    if (writer.count > 0)
      await writer.publish(
        folder.facts({ age, tags: [], sources: [{ run: state.runId, job: state.runId, at: last, columns: [] }] }),
      )
  } finally {
    await writer.discard()
  }
  if (writer.count > 0) await folder.keep(state.runId, [writer.path], waiting)
  await folder.settle([state.runId])
  return writer.count
}

/** A row with an earlier answer. */
export interface KnownRow {
  readonly outcome: AnswerOutcome
  readonly company: { readonly id: string; readonly name: string }
  readonly uploadRow: readonly string[]
}

/** Counts the different searches about rows with an earlier answer that need not be paid again. */
export interface SearchCounter {
  readonly add: (row: KnownRow) => void
  readonly counts: KnownSearches
  close(): void
}

/** Null without searches that may be used again. */
export function searchCounter(plan: Plan, identity: string, { answers, now, refreshes }: SearchSettings): SearchCounter | null {
  const open = (kind: 'screen' | 'candidates') => {
    const place = refreshes || plan[kind] == null ? null : openFolder(kind, { plan, identity }, answers, now)
    return place && { age: place.age, known: place.folder.open([], now()), found: new DigestIndex() }
  }
  const count = (opened: NonNullable<ReturnType<typeof open>>, key: Buffer): void => {
    const earlier = findSearch(opened.known, key, opened.age, now())
    if (earlier === null) return
    opened.found.add(key)
    if (opened === screen && (oldest === undefined || earlier.at < oldest)) oldest = earlier.at
    if (earlier.listsKey !== undefined) unproven.add(key)
  }
  const [screen, candidates] = [open('screen'), open('candidates')]
  if (screen === null && candidates === null) return null
  let oldest: string | undefined
  const unproven = new DigestIndex()
  const questionOf = questionMaker(plan)
  const asked: readonly string[] = plan.candidates?.for ?? []
  return {
    add: ({ outcome, company, uploadRow }) => {
      if (screen !== null && company.id !== '' && classifyOutcome(outcome) === 'matched')
        count(screen, searchKey(company, plan.screen!))
      const question = candidates !== null && asked.includes(outcome) ? questionOf(uploadRow) : null
      if (question !== null) count(candidates!, candidatesKey(question.id))
    },
    get counts() {
      const counts = { screen: screen?.found.size ?? 0, candidates: candidates?.found.size ?? 0 }
      return defined({ ...counts, oldest, unproven: unproven.size || undefined })
    },
    close: () => {
      screen?.known.close()
      candidates?.known.close()
    },
  }
}

/** Null for a search that was never made, or is older than `age` milliseconds. */
function findSearch<Answer>(known: KnownAnswers, key: Buffer, age: number, now: number): EarlierSearch<Answer> | null {
  const found = known.find(key)
  if (found?.outcome !== 'searched') return null
  const [at = '', answer = '', listsKey] = JSON.parse(found.text()) as string[]
  // A time in the future is of a clock that was set back since: its age is unknown.
  const passed = now - Date.parse(at)
  return passed >= 0 && passed < age ? { at, answer: JSON.parse(answer) as Answer, listsKey } : null
}
