/** Uses AML searches and questions for candidates that earlier runs paid, and stores those of a run for later ones. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { readJsonLines } from '../../files/json-lines.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import { type RunState, readJournal } from '../../journal/index.ts'
import type { ProposedCompany } from '../../model/requests.ts'
import type { Question } from '../../model/results.ts'
import type { KnownSearches, Plan } from '../../pipeline/index.ts'
import { answersFile, QUESTIONS_FILE } from '../../results/file-names.ts'
import { questionMaker } from '../../results/questions.ts'
import type { KnownRow } from '../../results/reuse/choose-rows.ts'
import {
  aboutCompany,
  aboutName,
  type MadeSearch,
  questionDigest,
  type SearchAge,
  SearchStore,
  screenDigest,
  writeSearches,
} from '../../results/reuse/search-store.ts'
import type { EarlierSearches, Screened } from '../../run/index.ts'
import { dataDirOf, type Env } from '../env/environment.ts'
import { makeFolder, type RunDirectory } from '../runs/run-directory.ts'
import { claimsFolder, type HeldLock, removeStaleLocks, type Waiting, waitForLock } from './claims.ts'
import { addToFolder, scopeOf } from './folder.ts'

type Kind = keyof KnownSearches

export const screeningDirOf = (dataDir: string): string => join(dataDir, 'screening')

/** The searches of another account are another's; those of the embedded service depend on its lists as well. */
async function ageOf(kind: Kind, plan: Plan, identity: string, env: Env): Promise<SearchAge | null> {
  const age = plan.reuse?.[kind]
  if (age === undefined) return null
  const { readLists } = await import('../../service/screening/index.ts')
  const lists =
    plan.service.kind === 'embedded' && kind === 'screen'
      ? (await readLists(screeningDirOf(dataDirOf(env)))).map(({ name, file }) => `${name}/${file}`)
      : []
  const scope = createHash('sha256')
    .update(JSON.stringify([kind, scopeOf(plan, identity), lists]))
    .digest('hex')
  return { scope, pipeline: plan.name, age }
}

interface SearchSettings {
  readonly folder: string
  readonly env: Env
  readonly now: () => number
  /** Searches again, and stores what it finds. */
  readonly refreshes: boolean
}

/** Opens what earlier runs searched when it is first needed. Always call `close`. */
export function openSearches(
  { plan, identity, runId }: Pick<RunState, 'plan' | 'identity' | 'runId'>,
  directory: RunDirectory,
  { folder, env, now, refreshes, waiting }: SearchSettings & { readonly waiting: Waiting },
): { readonly earlier: EarlierSearches; readonly close: () => Promise<void> } {
  const opened = new Map<Kind, Promise<SearchStore<unknown> | null>>()
  const locks = new Map<Kind, HeldLock>()
  /** One run at a time searches, from what is known to what is kept: another would pay for the same companies. */
  const open = async (kind: Kind): Promise<SearchStore<unknown> | null> => {
    const age = await ageOf(kind, plan, identity, env)
    if (age === null) return null
    makeFolder(folder, { ignored: 'itself' })
    makeFolder(claimsFolder(folder))
    const path = join(claimsFolder(folder), `${kind}-${age.scope.slice(0, 16)}`)
    locks.set(kind, await waitForLock(path, kind === 'screen' ? 'makes AML searches' : 'asks for candidates', waiting))
    return refreshes ? null : SearchStore.open(folder, age, now())
  }
  const storeOf = <Answer>(kind: Kind): Promise<SearchStore<Answer> | null> => {
    const store = opened.get(kind) ?? open(kind)
    opened.set(kind, store)
    return store as Promise<SearchStore<Answer> | null>
  }
  const earlier: EarlierSearches = {
    screened: async company => (await storeOf<Screened>('screen'))?.find(screenDigest(company, plan.screen!), now()) ?? null,
    proposed: async ({ id }) =>
      (await storeOf<readonly ProposedCompany[]>('candidates'))?.find(questionDigest(id), now()) ?? null,
    keep: async kind => {
      const age = await ageOf(kind, plan, identity, env)
      const path = join(directory.path, answersFile(kind))
      const made = kind === 'screen' ? screensIn(directory, plan) : await questionsIn(directory)
      const count = age === null ? 0 : await writeSearches(path, runId, made, age)
      if (count > 0) await addToFolder(directory, folder, [{ kind, path }], now())
      locks.get(kind)?.release()
      locks.delete(kind)
      removeStaleLocks(folder, now())
      return count
    },
  }
  return {
    earlier,
    close: async () => {
      for (const store of await Promise.allSettled(opened.values())) if (store.status === 'fulfilled') store.value?.close()
      for (const lock of locks.values()) lock.release()
    },
  }
}

const screensIn = ({ journal }: RunDirectory, { screen }: Plan): MadeSearch[] =>
  readJournal(journal).events.flatMap((event): MadeSearch | [] => {
    if (event.type !== 'screen.finished') return []
    const { id, searchId, hits, risks } = event.company
    const answer: Screened = { searchId, hits, risks }
    return { digest: screenDigest(event.company, screen!), about: aboutCompany(id), at: event.at, answer }
  })

async function questionsIn({ path, journal }: RunDirectory): Promise<MadeSearch[]> {
  const { events } = readJournal(journal)
  const names = new Map<string, string>()
  for await (const { id, query } of readJsonLines<Question>(join(path, QUESTIONS_FILE))) names.set(id, query.name ?? '')
  return events.flatMap((event): MadeSearch | [] => {
    if (event.type !== 'candidates.found') return []
    const { question, companies, at } = event
    return { digest: questionDigest(question), about: aboutName(names.get(question) ?? ''), at, answer: companies }
  })
}

/** Counts the different searches about rows with an earlier answer that need not be paid again. */
export interface SearchCounter {
  add(row: KnownRow): void
  readonly counts: KnownSearches
  close(): void
}

/** Null without searches that may be used again. */
export async function searchCounter(
  plan: Plan,
  identity: string,
  { folder, env, now, refreshes }: SearchSettings,
): Promise<SearchCounter | null> {
  const open = async (kind: Kind): Promise<SearchStore<unknown> | null> => {
    const age = refreshes || plan[kind] == null ? null : await ageOf(kind, plan, identity, env)
    return age && SearchStore.open(folder, age, now())
  }
  const [screen, candidates] = [await open('screen'), await open('candidates')]
  if (screen === null && candidates === null) return null
  const found = { screen: new DigestIndex(), candidates: new DigestIndex() }
  const questionOf = questionMaker(plan)
  const asked: readonly string[] = plan.candidates?.for ?? []
  return {
    add: ({ outcome, company, uploadRow }) => {
      if (screen !== null && company.id !== '' && outcome !== 'review' && outcome !== 'unmatched') {
        const digest = screenDigest(company, plan.screen!)
        if (screen.find(digest, now()) !== null) found.screen.add(digest)
      }
      const question = candidates !== null && asked.includes(outcome) ? questionOf(uploadRow) : null
      if (question === null) return
      const digest = questionDigest(question.id)
      if (candidates!.find(digest, now()) !== null) found.candidates.add(digest)
    },
    get counts() {
      return { screen: found.screen.size, candidates: found.candidates.size }
    },
    close: () => {
      screen?.close()
      candidates?.close()
    },
  }
}
