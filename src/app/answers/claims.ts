/**
 * The questions that runs are about to pay, beside the answers: two runs at once never pay for the same one. A run names its questions
 * before its first request; another that has one of them waits for its end, and uses the answer then. No run waits for a process that
 * is gone.
 */
import { readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink } from '../../files/atomic-file.ts'
import { listKept, readKept } from '../../files/kept-files.ts'
import { type Lock, lockHolder, takeLock } from '../../files/process-lock.ts'
import { DigestIndex } from '../../input/upload/row-dedupe.ts'
import type { Clock } from '../../model/requests.ts'
import { makeFolder } from '../runs/run-directory.ts'
import { parseRunId } from '../runs/run-id.ts'

export interface Waiting {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly signal: AbortSignal
  /** Called once before it waits, with the reason. */
  readonly onWait: (why: string) => void
}

/** A lock that is held until it is released, with its beat. */
export interface HeldLock {
  release(): void
}

const POLL_MS = 250
const BEAT_MS = 60_000
/** What a killed run leaves is removed after this time: its resume needs it until then. */
const LEFT_MS = 7 * 24 * 3_600_000
const DIGEST = 16
const SCOPE = 64
/** The scope, and the digest of the choice whose rows have the questions, in the order in which they are sent. */
const HEAD = SCOPE + 64
/** In the place of a question whose answer is stored. */
const SETTLED = Buffer.alloc(DIGEST)

/** The run whose questions a file of this name holds. */
const runOf = (name: string): string | undefined => /^(.+)\.questions$/.exec(name)?.[1]

export const claimsFolder = (answers: string): string => join(answers, '.asking')

/** Held while files of answers are added, replaced or removed. */
export const writingLock = (answers: string): string => join(claimsFolder(answers), 'writing')

/** Held while a run chooses its rows by the answers. */
export const choosingLock = (answers: string): string => join(claimsFolder(answers), 'choosing')

/** Runs that have questions in the folder, or that are at work with it. */
export function runsUsing(
  answers: string,
  now: () => number,
): { readonly runId: string; readonly file: string; readonly isAtWork: boolean }[] {
  const folder = claimsFolder(answers)
  return listKept(folder).flatMap(name => {
    const file = join(folder, name)
    const named = runOf(name)
    if (named !== undefined) return [{ runId: named, file, isAtWork: lockHolder(join(folder, named), now) !== null }]
    if (file === writingLock(answers) || file === choosingLock(answers) || DRAFT.test(name)) return []
    return lockHolder(file, now) === null ? [] : [{ runId: name, file, isAtWork: true }]
  })
}

/** Waits until no other process holds the lock. Throws the reason of `signal`, FETTLE_OUTPUT_WRITE. */
export async function waitForLock(path: string, what: string, { clock, signal, onWait }: Waiting): Promise<HeldLock> {
  for (let isFirst = true; ; isFirst = false) {
    let lock: Lock
    try {
      lock = takeLock(path, clock.now.bind(clock))
    } catch (error) {
      if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
      const holder = lockHolder(path, clock.now.bind(clock))
      if (isFirst && holder !== null) onWait(`waiting for process ${holder.pid} on ${holder.host}, which ${what}`)
      await clock.sleep(POLL_MS, signal)
      continue
    }
    return withBeat(lock)
  }
}

export function withBeat(lock: Lock): HeldLock {
  const heart = setInterval(() => lock.beat(), BEAT_MS)
  heart.unref()
  return {
    release: () => {
      clearInterval(heart)
      lock.release()
    },
  }
}

interface OtherClaim {
  readonly runId: string
  readonly questions: DigestIndex
  /** Its process is running; else it was stopped or detached, or is a shard that was not merged. */
  readonly isAtWork: boolean
}

/** Another run is about to pay for one of the questions. */
class AskedElsewhere extends Error {
  readonly runId: string

  constructor(runId: string) {
    super(`${runId} asks the same question`)
    this.runId = runId
  }
}

/** The questions of one run, beside those of others that are at work. */
export class Claim {
  readonly #folder: string
  readonly #runId: string
  readonly #now: () => number
  readonly #own: Buffer[] = []
  /** The digest of the file with the chosen rows; '' where several lists or none belong to the questions. */
  choice = ''
  #scope = ''
  /** Only runs of this pipeline are waited for; null: those of any. */
  #pipeline: string | null = null
  #others: readonly OtherClaim[] = []
  readonly #askedBefore = new Map<string, number>()

  constructor(folder: string, runId: string, now: () => number) {
    this.#folder = folder
    this.#runId = runId
    this.#now = now
  }

  /** Before the first question. `scope`: only questions of an equal one are the same. */
  begin(scope: string): void {
    this.#scope = scope
    this.#pipeline = null
    this.#own.length = 0
    this.#askedBefore.clear()
    this.#others = listKept(this.#folder).flatMap(name => {
      const runId = runOf(name)
      if (runId === undefined || runId === this.#runId) return []
      const isAtWork = lockHolder(join(this.#folder, runId), this.#now) !== null
      const questions = questionsIn(join(this.#folder, name), scope)
      return questions === null ? [] : { runId, questions, isAtWork }
    })
  }

  /** Only answers of this pipeline can be used: runs of others are not waited for. */
  waitOnlyFor(pipeline: string): void {
    this.#pipeline = pipeline
  }

  /** A question that will be paid; throws where another run pays for it just now, unless it was asked for again. */
  add(question: Buffer, isAgain: boolean): void {
    for (const { runId, questions, isAtWork } of isAgain ? [] : this.#others) {
      if (questions.find(question) === -1) continue
      if (isAtWork) {
        if (this.#pipeline === null || parseRunId(runId)?.pipeline === this.#pipeline) throw new AskedElsewhere(runId)
        continue
      }
      this.#askedBefore.set(runId, (this.#askedBefore.get(runId) ?? 0) + 1)
    }
    this.#own.push(Buffer.from(question))
  }

  /** Runs that were stopped or detached, and may have paid for some of the questions: how many. */
  get askedBefore(): ReadonlyMap<string, number> {
    return this.#askedBefore
  }

  publish(): Promise<void> {
    const head = `${this.#scope}${this.choice.padEnd(HEAD - SCOPE)}`
    return writeQuestions(join(this.#folder, `${this.#runId}.questions`), head, this.#own)
  }
}

async function writeQuestions(path: string, head: string, questions: readonly Buffer[]): Promise<void> {
  const sink = await openSink(path)
  try {
    await sink.write(Buffer.concat([Buffer.from(head, 'latin1'), ...questions]))
    await sink.finish()
    await sink.publish()
  } finally {
    await sink.discard()
  }
}

/**
 * The questions that a run sends, in the order in which it sends them, null in place of each whose answer is stored; null where the
 * folder has no questions of this choice.
 */
export function sentQuestions(answers: string, runId: string, scope: string, choice: string): readonly (Buffer | null)[] | null {
  const bytes = readKept(join(claimsFolder(answers), `${runId}.questions`))
  if (bytes === null || bytes.toString('latin1', 0, HEAD) !== `${scope}${choice}`) return null
  return digestsIn(bytes).map(question => (question.equals(SETTLED) ? null : question))
}

function digestsIn(bytes: Buffer): Buffer[] {
  const digests: Buffer[] = []
  for (let at = HEAD; at < bytes.length; at += DIGEST) digests.push(bytes.subarray(at, at + DIGEST))
  return digests
}

/** Removes what runs named whose answers are stored. */
export async function dropClaims(answers: string, runIds: readonly string[]): Promise<void> {
  for (const id of runIds) await rm(join(claimsFolder(answers), `${id}.questions`), { force: true }).catch(() => {})
}

/** Marks questions whose answers are stored, so that the others keep their places. Throws FETTLE_OUTPUT_WRITE. */
export async function settleQuestions(answers: string, runId: string, from: number, count: number): Promise<void> {
  const path = join(claimsFolder(answers), `${runId}.questions`)
  const bytes = readKept(path)
  if (bytes === null) return
  bytes.fill(0, HEAD + from * DIGEST, HEAD + (from + count) * DIGEST)
  const questions = digestsIn(bytes)
  if (questions.every(question => question.equals(SETTLED))) await rm(path, { force: true })
  else await writeQuestions(path, bytes.toString('latin1', 0, HEAD), questions)
}

/** Null for a file of another scope, and for one that is gone. */
function questionsIn(path: string, scope: string): DigestIndex | null {
  const bytes = readKept(path)
  if (bytes === null || bytes.toString('latin1', 0, SCOPE) !== scope) return null
  const questions = new DigestIndex()
  for (const question of digestsIn(bytes)) questions.add(question)
  return questions
}

export interface HeldClaim {
  /** `isOver`: the run has its answers, and no resume needs the claim. */
  release(isOver: boolean): Promise<void>
}

/**
 * Chooses the questions of a run, and holds them until it is released. Waits while another run pays for one of them. `isNew`: they take the
 * place of those that the run named before.
 */
export async function claimQuestions<T>(
  answers: string,
  runId: string,
  waiting: Waiting,
  choose: (claim: Claim) => Promise<T>,
  isNew = true,
): Promise<{ readonly chosen: T; readonly held: HeldClaim }> {
  const { clock, signal, onWait } = waiting
  const now = clock.now.bind(clock)
  const folder = claimsFolder(answers)
  makeFolder(answers, { ignored: 'itself' })
  makeFolder(folder)
  for (;;) {
    const choosing = await waitForLock(choosingLock(answers), 'chooses the rows of another run', waiting)
    let other: string
    try {
      removeStaleLocks(answers, now())
      await removeLeft(folder, now())
      const claim = new Claim(folder, runId, now)
      const chosen = await choose(claim)
      const held = holdClaim(folder, runId, now)
      if (isNew)
        await claim.publish().catch(async error => {
          await held.release(true)
          throw error
        })
      return { chosen, held }
    } catch (error) {
      if (!(error instanceof AskedElsewhere)) throw error
      other = error.runId
    } finally {
      choosing.release()
    }
    onWait(`waiting for the run ${other}, which asks the same questions: answers that both can use are not paid twice`)
    while (lockHolder(join(folder, other), now) !== null) await clock.sleep(POLL_MS, signal)
  }
}

/** The claim of a run that goes on; null where it has none. */
export function resumeClaim(answers: string, runId: string, { clock }: Pick<Waiting, 'clock'>): HeldClaim | null {
  const folder = claimsFolder(answers)
  try {
    statSync(join(folder, `${runId}.questions`))
  } catch {
    return null
  }
  return holdClaim(folder, runId, clock.now.bind(clock))
}

function holdClaim(folder: string, runId: string, now: () => number): HeldClaim {
  const lock = withBeat(takeLock(join(folder, runId), now))
  return {
    release: async isOver => {
      if (isOver) await dropClaims(dirname(folder), [runId])
      lock.release()
    },
  }
}

/** A draft of a lock, beside it. */
const DRAFT = /\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}$/

/** Removes the locks of processes that are gone. Never throws. */
export function removeStaleLocks(answers: string, now: number): void {
  const folder = claimsFolder(answers)
  try {
    for (const name of readdirSync(folder).filter(one => !one.endsWith('.questions') && !one.startsWith('.'))) {
      const path = join(folder, name)
      if (lockHolder(path, () => now) !== null) continue
      if (DRAFT.test(name)) rmSync(path, { force: true })
      // Another process may take it over just now: only its new owner removes a lock.
      else takeLock(path, () => now).release()
    }
  } catch {
    // The next run removes them.
  }
}

/** Questions of runs that are gone, and were not resumed for a long time. */
async function removeLeft(folder: string, now: number): Promise<void> {
  for (const name of listKept(folder)) {
    const path = join(folder, name)
    const runId = runOf(name)
    if (runId === undefined || lockHolder(join(folder, runId), () => now) !== null) continue
    try {
      if (now - statSync(path).mtimeMs > LEFT_MS) await rm(path, { force: true })
    } catch {
      // It is gone, or the next run removes it.
    }
  }
}
