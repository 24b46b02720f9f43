/**
 * Kills a command at a file operation and repeats it: in the end every file in the folder has the name, and every output the
 * bytes, of an undisturbed command.
 */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyOf, differences, halfWritten, type Left, leftIn } from './copies.ts'
import { type Ended, type Place, start } from './kit.ts'

/** A command, and where it is killed. */
export interface Killed {
  /** A folder where everything is prepared. It is copied, not changed. */
  readonly prepared: Place
  readonly args: readonly string[]
  /** What is given after the kill; the same command if absent. */
  readonly next?: (place: Place, args: readonly string[]) => readonly string[]
  /** Files whose bytes must be those of the undisturbed command. */
  readonly files: readonly string[]
  /** SIGKILL before an operation, `killed` after it, `cut` in the middle of a write; or an error of the disk. */
  readonly effect: 'SIGKILL' | 'killed' | 'cut' | 'ENOSPC'
  /** Operations by how they stand in the log of the undisturbed command (`rename /out.csv`), each the first that fits; all if absent. */
  readonly at?: readonly RegExp[]
  /** So many of the operations, drawn from all of them; all if absent. */
  readonly drawn?: { readonly count: number; readonly seed: number }
  /** Only operations on this file of the folder count, and only those named: their number does not depend on how often is waited. */
  readonly only?: { readonly file: string; readonly ops: string }
  /** Resolves when the service is at rest after a kill. */
  readonly rest?: () => Promise<void>
  /** Further violations at the end. */
  readonly judge?: (place: Place, last: Ended) => readonly string[] | Promise<readonly string[]>
}

/** Points, and what was violated at them. */
export interface KilledAt {
  readonly points: number
  /** Folders in which the command came to its end, the undisturbed one among them. */
  readonly places: number
  readonly violations: readonly string[]
}

/** The numbers of the operations that an effect can meet: a write is what is cut. */
const placesOf = (operations: readonly string[], effect: Killed['effect']): number[] =>
  operations.flatMap((line, at) => (effect === 'cut' && !/^\d+ write /.test(line) ? [] : [at + 1]))

/** Some of the places, the same ones for the same seed. */
function drawnFrom(places: readonly number[], { count, seed }: { readonly count: number; readonly seed: number }): number[] {
  const rank = (place: number): string => createHash('sha256').update(`${seed} ${place}`).digest('hex')
  return places
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
    .slice(0, count)
    .sort((a, b) => a - b)
}

/** As many as run side by side on two cores. */
const LANES = 2

/** Kills the command at one operation after the other until it ends untouched. */
export async function killEverywhere(killed: Killed): Promise<KilledAt> {
  const { prepared, args, next = () => args, files, effect, judge = () => [], rest = async () => {} } = killed
  const undisturbed = copyOf(prepared)
  const log = join(undisturbed.folder, 'log')
  const countedIn = ({ folder }: Place) =>
    killed.only === undefined ? {} : { paths: join(folder, killed.only.file), ops: killed.only.ops }
  const whole = await start(undisturbed, args, { fault: '', log, ...countedIn(undisturbed) }).ended
  if (whole.code !== 0) return { points: 0, places: 0, violations: [`undisturbed it ended ${whole.code}: ${whole.stderr}`] }
  const operations = readFileSync(log, 'utf8').replaceAll(undisturbed.folder, '').trimEnd().split('\n')
  rmSync(log)
  const asked =
    killed.at?.map(one => operations.findIndex(line => one.test(line)) + 1) ??
    (killed.drawn && drawnFrom(placesOf(operations, effect), killed.drawn))
  if (asked?.includes(0)) return { points: 0, places: 0, violations: [`no such operation: ${operations.join('; ')}`] }
  const before = leftIn(prepared, files)
  const expected = leftIn(undisturbed, files)
  const violations: string[] = []
  let points = 0
  let places = 1
  let following = 0
  let isOver = false

  /** A run that a full disk ended before its first event is listed as an attempt. */
  const atEnd = (place: Place): Left => {
    const left = leftIn(place, files)
    return effect === 'ENOSPC' ? { ...left, names: left.names.filter(name => name !== 'fettle-runs/attempts.jsonl') } : left
  }
  const pull = async (at: number, log: string): Promise<void> => {
    const place = copyOf(prepared)
    rmSync(log, { force: true })
    const first = await start(place, args, { fault: `${effect}@${at}`, log, ...countedIn(place) }).ended
    await rest()
    const hit = readFileSync(log, 'utf8')
      .split('\n')
      .find(line => line.endsWith(` ${effect}`))
    const bad: string[] = hit === undefined ? [] : halfWritten(leftIn(place, files), before, expected)
    places++
    // A run that waits less has fewer operations: a place that is drawn may be behind its last one.
    if (hit === undefined) isOver = killed.drawn === undefined
    else {
      points++
      if (effect !== 'ENOSPC' && first.signal !== 'SIGKILL') bad.push(`it ended ${first.code}: ${first.stderr}`)
    }
    const then = next(place, args)
    const last = hit === undefined ? first : await start(place, then).ended
    if (last.code === 0) bad.push(...differences(atEnd(place), expected), ...(await judge(place, last)))
    else bad.push(`${then.join(' ')} ended ${last.code ?? last.signal}: ${last.stderr}`)
    violations.push(...bad.map(why => `${effect} at ${(hit ?? 'no operation').replaceAll(place.folder, '')}: ${why}`))
    rmSync(place.folder, { recursive: true, force: true })
  }
  const walk = async (lane: number): Promise<void> => {
    for (; !isOver; ) {
      const at = asked === undefined ? following + 1 : asked[following]
      following++
      if (at === undefined) break
      await pull(at, join(undisturbed.folder, `log-${lane}`))
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, lane) => walk(lane)))
  rmSync(undisturbed.folder, { recursive: true, force: true })
  return { points, places, violations }
}
