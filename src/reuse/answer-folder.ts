/**
 * The folder of the answers of one scope: what depends on nothing but its key and the account, service and product that the scope is a
 * digest of. Runs of any pipeline share it. It has a file of answers for each run and age, which never changes and is replaced only under the lock of the
 * folder; and for each run at work the keys that it has asked, with a lock that shows that it lives.
 */
import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { removeFile, writeAtomic } from '../files/atomic-file.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { makeFolder } from '../files/durable.ts'
import { digestOf } from '../files/file-chunks.ts'
import { listKept, readKept } from '../files/kept-files.ts'
import { type HeldLock, holdLock, lockHolder, takeLock, waitForLock } from '../files/process-lock.ts'
import { sweepFolder } from '../files/stale-temp-files.ts'
import type { Clock } from '../model/requests.ts'
import { type AnswerSource, type AnswersFacts, AnswersFile, AnswersWriter } from './files/answers.ts'
import { KEY_BYTES } from './files/row-key.ts'
import { KnownAnswers, withFiles } from './known-answers.ts'

const POLL_MS = 250
const DAY_MS = 24 * 3_600_000
/** The keys that a dead run has asked are compared for this time. */
const LEFT_MS = 7 * DAY_MS
/** They are kept for this time: a run of its series finds by them what it has paid. */
const GONE_MS = 400 * DAY_MS
/** A file is written again when at least this part of its answers are replaced. */
const WORTH = 0.25
/** The files of one age and tags; of more the smaller ones become one. */
const MOST_FILES = 4

const ASKED = /^(.+)\.asked$/
/** The lock of a run, or a draft of it. */
const RUN_LOCK = /^(.+)\.lock(?:\.[0-9a-f-]{36})?$/
const HOUR_MS = 3_600_000

export interface Waiting {
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly signal: AbortSignal
  /** Called once before it waits, with the reason. */
  readonly onWait: (why: string) => void
}

/** What a run is about to ask, and has asked until its answers are kept. */
export interface AskedKeys {
  readonly runId: string
  readonly keys: DigestIndex
  /** Its process is running; else it was stopped or detached, is in a queue, or is a shard that was not merged. */
  readonly isAtWork: boolean
}

/** Another run is about to ask some of the keys: nothing is chosen before it is over. */
export interface Busy {
  readonly waitFor: string
}

export const isBusy = (found: object): found is Busy => 'waitFor' in found

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class AnswerFolder {
  readonly path: string
  readonly #scope: string
  readonly #now: () => number

  /** `answers`: the folder of all scopes. */
  constructor(answers: string, scope: string, now: () => number) {
    this.path = join(answers, scope)
    this.#scope = scope
    this.#now = now
  }

  open(tags: readonly string[], now: number): KnownAnswers {
    return KnownAnswers.open(this.path, tags, now)
  }

  /** Runs `body` while no other process chooses by the answers or changes them. Throws the reason of the signal. */
  async #withLock<T>({ clock, signal, onWait }: Waiting, body: () => Promise<T>): Promise<T> {
    makeFolder(join(this.path, '..'), { ignored: 'itself' })
    makeFolder(this.path)
    const path = lockIn(this.path)
    const lock = await waitForLock(path, this.#now, async tries => {
      const holder = lockHolder(path, this.#now)
      if (tries === 1 && holder !== null)
        onWait(`waiting for process ${holder.pid} on ${holder.host}, which reads or writes the answers in ${this.path}`)
      await clock.sleep(POLL_MS, signal)
    })
    const held = holdLock(lock)
    try {
      return await body()
    } finally {
      held.release()
    }
  }

  /** The keys of other runs that are not kept yet. Call it under the lock. */
  async #others(runId: string): Promise<readonly AskedKeys[]> {
    const found: AskedKeys[] = []
    for (const { runId: other, path, isAtWork } of runsIn(this.path, this.#now)) {
      if (other === runId || path === null) continue
      const age = this.#now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      if (!isAtWork && age > GONE_MS) await removeFile(path)
      else if (isAtWork || age <= LEFT_MS) found.push({ runId: other, keys: readAsked(path), isAtWork })
    }
    return found
  }

  /**
   * Chooses what a run asks: `choose` gets the keys that other runs have asked and are not kept, and returns the keys of this run. Returns what
   * was chosen with the lock of the run, which the caller releases. Null where `choose` returns a run to wait for: that one has kept its answers by
   * then, or is gone, and the caller chooses again.
   */
  async ask<T extends { readonly keys: readonly Buffer[] }>(
    runId: string,
    waiting: Waiting,
    choose: (others: readonly AskedKeys[]) => Promise<T | Busy>,
  ): Promise<{ readonly chosen: T; readonly held: HeldLock } | null> {
    const found = await this.#withLock(waiting, async () => {
      const chosen = await choose(await this.#others(runId))
      if (isBusy(chosen)) return chosen
      const held = holdLock(takeLock(runLock(this.path, runId), this.#now))
      try {
        await writeAtomic(askedPath(this.path, runId), Buffer.concat(chosen.keys))
      } catch (error) {
        held.release()
        throw error
      }
      return { chosen, held }
    })
    if (!isBusy(found)) return found
    const { waitFor } = found
    waiting.onWait(`waiting for the run ${waitFor}, which asks the same: answers that both can use are not paid twice`)
    const path = askedPath(this.path, waitFor)
    while (lockHolder(runLock(this.path, waitFor), this.#now) !== null && existsSync(path))
      await waiting.clock.sleep(POLL_MS, waiting.signal)
    return null
  }

  /** Takes the lock of a run that goes on, once `check` has looked at the keys of the others. */
  async resume(runId: string, waiting: Waiting, check: (others: readonly AskedKeys[]) => Promise<void>): Promise<HeldLock> {
    return this.#withLock(waiting, async () => {
      await check(await this.#others(runId))
      return holdLock(takeLock(runLock(this.path, runId), this.#now))
    })
  }

  /** The run has its answers, or will never have them: no run waits for it, and no resume needs its keys. */
  settle(runIds: readonly string[]): Promise<void> {
    return settleIn(this.path, runIds)
  }

  /** Puts files of answers of a run where later runs find them, in place of what they replace. */
  async keep(runId: string, drafts: readonly string[], waiting: Waiting): Promise<void> {
    await this.#withLock(waiting, async () => {
      await sweepFolder(this.path)
      await this.#removeStaleLocks()
      for (const path of drafts) {
        const draft = AnswersFile.open(path)
        if (draft === null) continue
        const name = `${runId}-${draft.facts.age / HOUR_MS}h.answers`
        await copyAnswers(join(this.path, name), [draft]).finally(() => draft.close())
      }
      await this.#removeStale(runId)
      await this.#mergeSmall(runId)
    })
  }

  /** Runs take their locks under the lock of the folder: none of them is just being taken over. */
  async #removeStaleLocks(): Promise<void> {
    const names = listKept(this.path)
    for (const name of names) {
      const runId = RUN_LOCK.exec(name)?.[1]
      if (runId === undefined || names.includes(`${runId}.asked`)) continue
      const path = join(this.path, name)
      if (lockHolder(path, this.#now) === null) await removeFile(path)
    }
  }

  /**
   * Removes the answers whose age has passed, and those that newer ones of the run replace: at once where one would be used longer than the
   * newer one, or it would be used again then; else when they are many.
   */
  async #removeStale(runId: string): Promise<void> {
    const now = this.#now()
    await withFiles(this.path, async files => {
      const isNew = ({ path }: AnswersFile): boolean => basename(path).startsWith(`${runId}-`)
      for (const file of files) {
        const { age, tags, sources } = file.facts
        const newer = files.filter(other => isNew(other) && !isNew(file) && tags.every(tag => other.facts.tags.includes(tag)))
        let mustGo = sources.some(({ at }) => Date.parse(at) + age <= now)
        if (newer.length === 0 && !mustGo) continue
        const isStale = new Uint8Array(file.count)
        for (let at = 0; at < file.count; at++) {
          const time = file.time(at)
          const key = Buffer.from(file.key(at))
          const ends = newer.flatMap(other => {
            const place = other.find(key)
            // A time in the future is of a clock that was set back since: it must not become a valid age.
            const isReplaced = place !== -1 && (other.time(place) >= time || time > now)
            return isReplaced ? [other.time(place) + other.facts.age] : []
          })
          isStale[at] = ends.length > 0 || time + age <= now ? 1 : 0
          mustGo ||= ends.some(end => end < time + age)
        }
        const count = isStale.reduce((sum, stale) => sum + stale, 0)
        if (count > 0 && (mustGo || count >= file.count * WORTH))
          await copyAnswers(file.path, [file], (_, at) => isStale[at] === 0)
      }
    })
  }

  /** Of the files of one age and tags the smaller ones become one, without the answers that it has twice. */
  #mergeSmall(runId: string): Promise<void> {
    return withFiles(this.path, async files => {
      const groups = new Map<string, AnswersFile[]>()
      for (const file of files) {
        const name = JSON.stringify([file.facts.age, file.facts.tags])
        groups.set(name, [...(groups.get(name) ?? []), file])
      }
      for (const group of groups.values()) {
        if (group.length <= MOST_FILES) continue
        const small = group.toSorted((a, b) => b.bytes - a.bytes).slice(1)
        // A run may keep its own file again.
        const { age, tags } = group[0]!.facts
        const name = digestOf(JSON.stringify(tags)).toString('hex', 0, 4)
        const merged = join(this.path, `${runId}-${age / HOUR_MS}h-${name}-merged.answers`)
        await copyAnswers(merged, small, () => true, this.#now())
        for (const { path } of small) if (path !== merged) await removeFile(path)
      }
    })
  }

  /** The facts of a file of this scope. */
  facts(facts: Pick<AnswersFacts, 'age' | 'tags' | 'sources'>): AnswersFacts {
    return { scope: this.#scope, ...facts }
  }
}

/**
 * Writes the answers of files of one scope, age and tags to one file, of each key the newest one, with the sources that they need; no file
 * if there are none. A time after `now` is of a clock that was set back since: such an answer is the last.
 */
export async function copyAnswers(
  path: string,
  files: readonly AnswersFile[],
  isKept: (file: AnswersFile, at: number) => boolean = () => true,
  now = Number.POSITIVE_INFINITY,
): Promise<void> {
  const rank = (file: AnswersFile, at: number): number => (file.time(at) > now ? -1 : file.time(at))
  const isNewest = (file: AnswersFile, at: number): boolean => {
    const key = Buffer.from(file.key(at))
    const own = rank(file, at)
    return files.every((other, number) => {
      const place = other === file ? -1 : other.find(key)
      if (place === -1) return true
      const found = rank(other, place)
      return found < own || (found === own && files.indexOf(file) < number)
    })
  }
  const writer = new AnswersWriter(path)
  const sources: AnswerSource[] = []
  try {
    for (const file of files) {
      const numbers = new Map<number, number>()
      for (let at = 0; at < file.count; at++) {
        if (!isKept(file, at) || (files.length > 1 && !isNewest(file, at))) continue
        const own = file.source(at)
        const number = numbers.get(own) ?? sources.push(file.sourceOf(at)) - 1
        numbers.set(own, number)
        await writer.copy(file, at, number)
      }
    }
    if (writer.count > 0) await writer.publish({ ...files[0]!.facts, sources })
    else await removeFile(path)
  } finally {
    await writer.discard()
  }
}

/** The lock of a folder of a scope, and of a run in it. */
export const lockIn = (folder: string): string => join(folder, 'lock')
const runLock = (folder: string, runId: string): string => join(folder, `${runId}.lock`)
const askedPath = (folder: string, runId: string): string => join(folder, `${runId}.asked`)

export async function settleIn(folder: string, runIds: readonly string[]): Promise<void> {
  for (const id of runIds) await removeFile(askedPath(folder, id))
}

/** The runs that have asked in the folder of a scope, and whose answers are not kept. */
export const askedIn = (folder: string): string[] => listKept(folder).flatMap(name => ASKED.exec(name)?.[1] ?? [])

/** Runs with keys in the folder of a scope, or at work with it; `path`: the file of the keys, null without one. */
export function runsIn(
  folder: string,
  now: () => number,
): { readonly runId: string; readonly path: string | null; readonly isAtWork: boolean }[] {
  const names = listKept(folder)
  const ids = new Set(names.flatMap(name => /^(.+)\.(?:asked|lock)$/.exec(name)?.[1] ?? []))
  return [...ids].map(runId => ({
    runId,
    path: names.includes(`${runId}.asked`) ? askedPath(folder, runId) : null,
    isAtWork: lockHolder(runLock(folder, runId), now) !== null,
  }))
}

function readAsked(path: string): DigestIndex {
  const bytes = readKept(path) ?? Buffer.alloc(0)
  const keys = new DigestIndex(bytes.length / KEY_BYTES)
  for (let at = 0; at < bytes.length; at += KEY_BYTES) keys.add(bytes.subarray(at, at + KEY_BYTES))
  return keys
}

/** The folders of all scopes. */
export const scopeFolders = (answers: string): string[] =>
  listKept(answers).flatMap(name => (/^[0-9a-f]{32}$/.test(name) ? [join(answers, name)] : []))
