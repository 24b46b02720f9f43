/** Places that are prepared once and copied for each kill, and a comparison with the files of an undisturbed command. */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolder } from '../../support/memory-folder.ts'
import { recorded } from './judge.ts'
import type { Place } from './kit.ts'

/** Of a pipeline, and of the answers. */
const LOCK = /^fettle-runs\/(?:locks\/|answers\/[0-9a-f]{32}\/(?:.+\.)?lock(?:\.|$))/
const RUN_ID = /\d{8}T\d{6}Z-([a-z0-9.-]+)-[0-9a-f]{6}/g

/**
 * The names of everything in a folder, without what names a run by chance, and the bytes of some files; null for none. A lock is
 * left to the next process that wants it.
 */
export interface Left {
  readonly names: readonly string[]
  readonly bytes: Readonly<Record<string, string | null>>
}

/** What there is in a place. */
export function leftIn({ folder }: Place, files: readonly string[]): Left {
  const names = readdirSync(folder, { recursive: true })
    .map(path => String(path).replace(RUN_ID, '$1'))
    .filter(path => !LOCK.test(path))
  const read = (name: string): string | null => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null)
  return { names: names.sort(), bytes: Object.fromEntries(files.map(name => [name, read(name)])) }
}

/** A place of its own with the same content. */
export function copyOf({ folder: from, env }: Place): Place {
  const folder = mkdtempSync(join(memoryFolder(), 'fettle-kill-'))
  cpSync(from, folder, { recursive: true })
  return { folder, runsDir: join(folder, 'fettle-runs'), env: { ...env, HOME: folder } }
}

/** Those of `all` that have no like in `some`, one for one. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const open = [...some]
  return all.filter(name => {
    const at = open.indexOf(name)
    if (at !== -1) open.splice(at, 1)
    return at === -1
  })
}

/** What is there and should not be, what should be and is not, and files with other bytes. */
export function differences(found: Left, expected: Left): string[] {
  return [
    ...without(found.names, expected.names).map(name => `${name} is left behind`),
    ...without(expected.names, found.names).map(name => `${name} is missing`),
    ...Object.keys(expected.bytes)
      .filter(name => found.bytes[name] !== expected.bytes[name])
      .map(name => `${name} is another one`),
  ]
}

/** Files that are neither as they were before nor as they are to be. */
export const halfWritten = (found: Left, before: Left, expected: Left): string[] =>
  Object.keys(expected.bytes)
    .filter(name => found.bytes[name] !== before.bytes[name] && found.bytes[name] !== expected.bytes[name])
    .map(name => `${name} is half`)

/** What follows a kill: the same command, unless the run is at its end, of which the same command would begin another. */
export function nextCommand(place: Place, args: readonly string[]): readonly string[] {
  const state = recorded(place)
  const isOver = state?.finished === true && state.plan.shard === undefined
  return isOver ? ['resume', state.runId, '--json'] : args
}
