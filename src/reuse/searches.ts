/** Uses AML searches, questions for candidates and decisions that earlier runs paid, and stores what a run paid for later ones. */
import { join } from 'node:path'
import { DigestIndex } from '../files/digest-index.ts'
import { readJsonLines } from '../files/json-lines.ts'
import { type RunState, readJournal } from '../journal/index.ts'
import type { ProposedCompany } from '../model/requests.ts'
import type { EarlierSearch, Question, TreeAnswer, TreeQuestion } from '../model/results.ts'
import type { KnownSearches, Plan } from '../pipeline/index.ts'
import { answersFile, QUESTIONS_FILE, TREE_FILE } from '../results/file-names.ts'
import { readCompanies } from '../results/output/companies.ts'
import { questionMaker, readQuestions } from '../results/questions.ts'
import { readTreeQuestions } from '../results/tree-questions.ts'
import type { EarlierSearches, Screened } from '../run/index.ts'
import { AnswerFolder, type AskedKeys, type Busy, type HeldLock, type Waiting } from './answer-folder.ts'
import type { KnownRow } from './choose-rows.ts'
import { AnswersWriter } from './files/answers.ts'
import { candidatesKey, companyOwner, nameOwner, searchKey, treeKey } from './files/row-key.ts'
import type { KnownAnswers } from './known-answers.ts'
import { type SearchKind, searchScope } from './settings.ts'

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

type Searching = Pick<RunState, 'plan' | 'identity' | 'runId' | 'tree'>

/** Where the searches of a kind are kept; null where the pipeline names no age for them. */
function folderOf(
  kind: SearchKind,
  { plan, identity }: Pick<Searching, 'plan' | 'identity'>,
  answers: string,
  now: () => number,
) {
  const age = plan.reuse?.[kind]
  return age === undefined ? null : { age, folder: new AnswerFolder(answers, searchScope(kind, plan, identity), now) }
}

interface Asked {
  readonly keys: readonly Buffer[]
  readonly known: KnownAnswers | null
}

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
  readonly #settings: SearchSettings & { readonly waiting: Waiting }
  readonly #opened = new Map<SearchKind, Promise<Opened | null>>()

  constructor(state: () => RunState, directory: RunFiles, settings: SearchSettings & { readonly waiting: Waiting }) {
    this.#state = state
    this.#directory = directory
    this.#settings = settings
  }

  screened(company: Parameters<EarlierSearches['screened']>[0]): Promise<EarlierSearch<Screened> | null> {
    return this.#find('screen', searchKey(company, this.#state().plan.screen!))
  }

  proposed({ id }: Question): Promise<EarlierSearch<readonly ProposedCompany[]> | null> {
    return this.#find('candidates', candidatesKey(id))
  }

  ruled({ id }: TreeQuestion): Promise<EarlierSearch<TreeAnswer> | null> {
    return this.#find('decide', treeKey(this.#state().tree?.found ?? null, id))
  }

  async keep(kind: SearchKind): Promise<number> {
    const { answers, now, waiting } = this.#settings
    const count = await keepSearches(kind, this.#state(), this.#directory, { answers, now, waiting })
    const opened = await this.#opened.get(kind)
    opened?.held.release()
    return count
  }

  async close(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#opened.values()))
      if (opened.status === 'fulfilled') {
        opened.value?.known?.close()
        opened.value?.held.release()
      }
  }

  async #find<Answer>(kind: SearchKind, key: Buffer): Promise<EarlierSearch<Answer> | null> {
    const opening = this.#opened.get(kind) ?? this.#open(kind)
    this.#opened.set(kind, opening)
    const opened = await opening
    return opened?.known == null ? null : findSearch(opened.known, key, opened.age, this.#settings.now())
  }

  /** Names all that the stage is about to ask, so that no other run pays for it meanwhile. */
  async #open(kind: SearchKind): Promise<Opened | null> {
    const { answers, now, refreshes, waiting } = this.#settings
    const state = this.#state()
    const place = folderOf(kind, state, answers, now)
    if (place === null) return null
    const { folder, age } = place
    const choose = async (others: readonly AskedKeys[]): Promise<Asked | Busy> => {
      const known = refreshes ? null : folder.open([], now())
      const keys: Buffer[] = []
      for await (const key of this.#keys(kind, state)) {
        if (known !== null && findSearch(known, key, age, now()) !== null) continue
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
      const asked = await folder.ask(state.runId, waiting, choose)
      if (asked !== null) return { age, folder, known: asked.chosen.known, held: asked.held }
    }
  }

  async *#keys(kind: SearchKind, { plan, companies, candidates, tree }: RunState): AsyncGenerator<Buffer> {
    const { path } = this.#directory
    if (kind === 'decide') {
      for await (const { id } of readTreeQuestions(path, tree?.listed ?? 0)) yield treeKey(tree?.found ?? null, id)
      return
    }
    if (kind === 'screen') {
      for await (const company of readCompanies(path, companies?.listed ?? 0)) yield searchKey(company, plan.screen!)
      return
    }
    for await (const { id } of readQuestions(path, candidates?.counts?.listed ?? 0)) yield candidatesKey(id)
  }
}

/** Puts what a run has searched where later runs find it. Returns how many searches that are. Throws FETTLE_OUTPUT_WRITE. */
export async function keepSearches(
  kind: SearchKind,
  state: Searching,
  directory: RunFiles,
  { answers, now, waiting }: Pick<SearchSettings, 'answers' | 'now'> & { readonly waiting: Waiting },
): Promise<number> {
  const place = folderOf(kind, state, answers, now)
  if (place === null) return 0
  const path = join(directory.path, answersFile(kind))
  const made =
    kind === 'screen'
      ? screensIn(directory, state.plan)
      : kind === 'decide'
        ? await ruledIn(directory, state)
        : await questionsIn(directory)
  await writeSearches(path, state.runId, made, place)
  if (made.length > 0) await place.folder.keep(state.runId, [path], waiting)
  await place.folder.settle([state.runId])
  return made.length
}

const screensIn = ({ journal }: RunFiles, { screen }: Plan): MadeSearch[] =>
  readJournal(journal).events.flatMap((event): MadeSearch | [] => {
    if (event.type !== 'screen.finished') return []
    const { id, searchId, hits, risks } = event.company
    const answer: Screened = { searchId, hits, risks }
    return { key: searchKey(event.company, screen!), owner: companyOwner(id), at: event.at, answer }
  })

async function questionsIn({ path, journal }: RunFiles): Promise<MadeSearch[]> {
  const { events } = readJournal(journal)
  const names = new Map<string, string>()
  for await (const { id, query } of readJsonLines<Question>(join(path, QUESTIONS_FILE))) names.set(id, query.name ?? '')
  return events.flatMap((event): MadeSearch | [] => {
    if (event.type !== 'candidates.found') return []
    const { question, companies, at } = event
    return { key: candidatesKey(question), owner: nameOwner(names.get(question) ?? ''), at, answer: companies }
  })
}

async function ruledIn({ path, journal }: RunFiles, { tree }: Pick<RunState, 'tree'>): Promise<MadeSearch[]> {
  const companies = new Map<string, string>()
  for await (const { id, company } of readJsonLines<TreeQuestion>(join(path, TREE_FILE))) companies.set(id, company)
  return readJournal(journal).events.flatMap((event): MadeSearch | [] => {
    if (event.type !== 'decide.made') return []
    const { question, answer, at } = event
    return { key: treeKey(tree?.found ?? null, question), owner: companyOwner(companies.get(question) ?? ''), at, answer }
  })
}

/** Counts the different searches about rows with an earlier answer that need not be paid again. */
export interface SearchCounter {
  readonly add: (row: KnownRow) => void
  readonly counts: KnownSearches
  close(): void
}

/** Null without searches that may be used again. */
export function searchCounter(plan: Plan, identity: string, { answers, now, refreshes }: SearchSettings): SearchCounter | null {
  const open = (kind: keyof KnownSearches) => {
    const place = refreshes || plan[kind] == null ? null : folderOf(kind, { plan, identity }, answers, now)
    return place && { age: place.age, known: place.folder.open([], now()) }
  }
  const [screen, candidates] = [open('screen'), open('candidates')]
  if (screen === null && candidates === null) return null
  const found = { screen: new DigestIndex(), candidates: new DigestIndex() }
  const questionOf = questionMaker(plan)
  const asked: readonly string[] = plan.candidates?.for ?? []
  return {
    add: ({ outcome, company, uploadRow }) => {
      if (screen !== null && company.id !== '' && outcome !== 'review' && outcome !== 'unmatched') {
        const key = searchKey(company, plan.screen!)
        if (findSearch(screen.known, key, screen.age, now()) !== null) found.screen.add(key)
      }
      const question = candidates !== null && asked.includes(outcome) ? questionOf(uploadRow) : null
      if (question === null) return
      const key = candidatesKey(question.id)
      if (findSearch(candidates!.known, key, candidates!.age, now()) !== null) found.candidates.add(key)
    },
    get counts() {
      return { screen: found.screen.size, candidates: found.candidates.size }
    },
    close: () => {
      screen?.known.close()
      candidates?.known.close()
    },
  }
}

interface MadeSearch {
  readonly key: Buffer
  /** See `companyOwner` and `nameOwner`. */
  readonly owner: Buffer
  readonly at: string
  readonly answer: unknown
}

/** Null for a search that was never made, or is older than `age` milliseconds. */
function findSearch<Answer>(known: KnownAnswers, key: Buffer, age: number, now: number): EarlierSearch<Answer> | null {
  const found = known.find(key)
  if (found?.outcome !== 'searched') return null
  const [at = '', answer = ''] = JSON.parse(found.text()) as string[]
  // A time in the future is of a clock that was set back since: its age is unknown.
  const passed = now - Date.parse(at)
  return passed >= 0 && passed < age ? { at, answer: JSON.parse(answer) as Answer } : null
}

/** Writes the searches of a run to `path`, unless there are none. Throws FETTLE_OUTPUT_WRITE. */
async function writeSearches(
  path: string,
  run: string,
  made: readonly MadeSearch[],
  { folder, age }: { readonly folder: AnswerFolder; readonly age: number },
): Promise<void> {
  if (made.length === 0) return
  const writer = new AnswersWriter(path)
  const at = made
    .map(search => search.at)
    .sort()
    .at(-1)!
  try {
    for (const { key, owner, at, answer } of made)
      await writer.add({ key, owner, row: null, source: 0, outcome: 'searched', cells: [at, JSON.stringify(answer)] })
    await writer.publish(folder.facts({ age, tags: [], sources: [{ run, job: run, at, columns: [] }] }))
  } finally {
    await writer.discard()
  }
}
