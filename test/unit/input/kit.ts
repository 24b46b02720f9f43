/** Fresh folders, inputs and plans for the tests of this folder. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import { filledRows } from '../../../src/model/list.ts'
import type { InputFacts, InputOptions, Plan } from '../../../src/pipeline/model/types.ts'

/** A folder in memory, where the machine has one: a property writes and syncs files a thousand times. */
export function inMemory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}

/** A new empty folder, removed when the test passes. */
export function folder(parent = tmpdir()): string {
  const path = mkdtempSync(join(parent, 'fettle-input-'))
  onTestFinished(({ task }) => {
    if (task.result?.state === 'pass') rmSync(path, { recursive: true, force: true })
  })
  return path
}

/** A file in a new folder; gives its path. */
export function file(content: string | Uint8Array, name = 'input.csv'): string {
  const path = join(folder(), name)
  writeFileSync(path, content)
  return path
}

/** Options as a pipeline gives them by default. */
export const options = (path: string, rest: Partial<InputOptions> = {}): InputOptions => ({
  path,
  encoding: 'auto',
  delimiter: 'auto',
  header: true,
  quotes: 'strict',
  sheet: null,
  ...rest,
})

/** The facts of a file that has no errors. */
export async function factsOf(path: string, rest: Partial<InputOptions> = {}): Promise<InputFacts> {
  const { facts, issues } = await inspect(options(path, rest))
  const errors = issues.filter(one => one.severity === 'error')
  if (facts === null || errors.length > 0) throw new Error(`${path}: ${errors.map(one => one.message).join('; ')}`)
  return facts
}

/** A plan over an input. */
export const planOf = (input: InputFacts, rest: Partial<Plan> = {}): Plan => ({
  version: 1,
  name: 'test',
  description: null,
  tags: [],
  file: 'test.yml',
  service: { kind: 'embedded' },
  input,
  key: null,
  limit: null,
  rows: rest.limit ?? input.rows,
  sent: rest.rows ?? rest.limit ?? filledRows(input),
  collapse: false,
  parts: [{ from: 0, rows: rest.sent ?? rest.rows ?? rest.limit ?? filledRows(input) }],
  concurrency: 4,
  preparation: [],
  mappings: [{ mapping: 'name', header: input.header?.[0] ?? null, index: 0, pad: null }],
  enrich: null,
  budget: { rows: null, credits: null },
  poll: { everyMs: 2000, maxMs: 30_000, timeoutMs: 7_200_000 },
  retry: { attempts: 4 },
  checks: [],
  output: null,
  ...{ accept: null, candidates: null, portfolio: null, screen: null, reuse: null },
  decisions: null,
  report: { rows: 'review', mask: [] },
  issues: [],
  fingerprint: 'x',
  ...rest,
})

export const text = (path: string): string => readFileSync(path, 'utf8')
/** Names in a folder, without the `.gitignore` of folders that fettle makes. */
export const names = (path: string): string[] =>
  readdirSync(path)
    .filter(name => name !== '.gitignore')
    .sort()
export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Runs a command of the shell, in which `$0`, `$1` … are the arguments; gives what it prints. */
export const shell = (command: string, ...args: string[]): string =>
  execFileSync('bash', ['-c', command, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
