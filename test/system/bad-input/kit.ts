/**
 * Runs a bad input, in this process through the code of the command line or as a child process, and checks the form of the
 * answer.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type Ended, fettle, fettleBinary, folderOf, STACK } from '../cli/fettle.ts'
import { type Remark, ROWS, type Row } from './row.ts'

/** What no answer may hold: the password in the environment, and what the tables write where a secret would stand. */
const SECRET = /canary/i

/** The files of a row in a fresh folder, beside `rows.csv`. */
export function folderOfRow({ files = {} }: Row): string {
  const cwd = folderOf(files['rows.csv'] === undefined ? { 'rows.csv': ROWS } : {})
  for (const [name, content] of Object.entries(files)) {
    const path = join(cwd, name)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'function') content(path)
    else writeFileSync(path, content)
  }
  return cwd
}

/** The command line of a row: `run p.yml` where it names none, `run` before bare file names. */
export function argsOf({ line, args = ['p.yml'] }: Row): readonly string[] {
  return line.startsWith('A') ? args : ['run', ...args]
}

/** Runs a command line in this process, in the folder given. */
export const inProcess = (args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> =>
  fettle(args, { cwd, env })

/** Runs a command line as a process of its own. */
export const asProcess = (args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> =>
  fettleBinary(args, { cwd, env })

/** A problem or remark as it was printed. */
interface Told {
  readonly label: string
  readonly code: string
  readonly place: string
  readonly text: string
}

/** The problems that a text for people tells. */
function toldIn(stderr: string): Told[] {
  const heads = [...stderr.matchAll(/^(error|warning|info) FETTLE_(\w+)(?: (.*))?$/gm)]
  return heads.map((head, at) => ({
    label: head[1] ?? '',
    code: head[2] ?? '',
    place: head[3] ?? '',
    text: stderr.slice(head.index, heads[at + 1]?.index),
  }))
}

/** Judges what every answer has in common. */
export function judgeForm(row: Row, { code, stdout, stderr }: Ended): void {
  const all = stdout + stderr
  expect(code, all).toBe(row.exit)
  expect(all).not.toMatch(STACK)
  expect(all).not.toMatch(SECRET)
  expect(all).not.toContain('FETTLE_BUG')
  expect(all).not.toContain('\u001b')
  if (row.exit > 0) judgeErrors(row, stderr)
  for (const words of row.says ?? []) {
    if (typeof words === 'string') expect(row.exit > 0 ? stderr : all).toContain(words)
    else expect(stderr).toMatch(words)
  }
}

function judgeErrors(row: Row, stderr: string): void {
  const errors = toldIn(stderr).filter(one => one.label === 'error')
  expect(errors.length, `no error is told:\n${stderr}`).toBeGreaterThan(0)
  for (const one of errors) expect(one.text, 'a hint').toMatch(/\n {2}hint: \S|\n {2}and \d+ more/)
  if (row.errors !== undefined && row.errors.length > 0)
    sameErrors(
      errors.map(one => `${one.code} ${one.place}`.trim()),
      row.errors,
    )
}

/** Every error due, in order; one that is due without a place may stand anywhere. */
function sameErrors(found: readonly string[], due: readonly string[]): void {
  const compared = found.map((one, at) => (due[at]?.includes(' ') === true ? one : (one.split(' ')[0] ?? '')))
  expect(compared).toEqual(due.map(one => one.trim()))
}

/** The answer for machines: one line, the same on stdout and in the result file. */
export function judgeResultLine(row: Row, { stdout }: Ended, cwd: string): void {
  const lines = stdout.split('\n')
  expect(lines.at(-1)).toBe('')
  for (const line of lines.slice(0, -1))
    expect(JSON.parse(line)).toMatchObject({ schema: 'fettle/result/v1', status: 'error', runId: null, totals: null })
  expect(JSON.parse(lines.at(-2) ?? '')).toMatchObject({ error: { code: expect.stringMatching(/^FETTLE_/) } })
  const file = JSON.parse(readFileSync(join(cwd, 'result.json'), 'utf8'))
  const worst = Math.max(...(Array.isArray(file) ? file : [file]).map(one => one.exitCode))
  expect(worst).toBeGreaterThan(0)
  expect(lines.slice(0, -1).map(line => JSON.parse(line))).toEqual(Array.isArray(file) ? file : [file])
  expect(row.exit).toBeGreaterThan(0)
}

interface Issue {
  readonly code: string
  readonly severity: string
  readonly message: string
  readonly hint: string | null
  readonly at: { readonly file: string; readonly line: number | null; readonly column: number | null } | null
  readonly count: number
  readonly rows: readonly number[]
}

const whereOf = ({ code, at }: Issue): string =>
  `${code.replace('FETTLE_', '')} ${at === null ? '' : [at.file, at.line, at.line === null ? null : at.column].filter(part => part !== null).join(':')}`.trim()

/** The same problems as `issues` of `check --json`, or the remarks that are due. */
export function judgeIssues(row: Row, { stdout }: Ended): void {
  const issues = stdout
    .trimEnd()
    .split('\n')
    .flatMap(line => (JSON.parse(line) as { issues: Issue[] }).issues)
  const errors = issues.filter(one => one.severity === 'error')
  if (row.exit > 0) {
    sameErrors(errors.map(whereOf), row.errors ?? errors.map(whereOf))
    return
  }
  expect(errors).toEqual([])
  if (row.remarks === undefined) return
  expect(issues.map(one => `${whereOf(one)}: ${one.message}`).length, JSON.stringify(issues, null, 1)).toBe(row.remarks.length)
  for (const [at, due] of row.remarks.entries()) judgeRemark(issues[at]!, due)
}

function judgeRemark(found: Issue, due: Remark): void {
  sameErrors([whereOf(found)], [due.where])
  const text = `${found.message} | ${found.hint}`
  for (const words of due.says) {
    if (typeof words === 'string') expect(text).toContain(words)
    else expect(text).toMatch(words)
  }
  if (due.count !== undefined) expect(found.count).toBe(due.count)
  if (due.rows !== undefined) expect(found.rows).toEqual(due.rows)
}

/** Everything below a folder, links not followed. */
export const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()

/** Nothing was made but what was there and the result file: no run, no output. Only a disk that refuses is found out by trying. */
export function judgeNothingMade({ exit }: Row, before: readonly string[], cwd: string): void {
  const allowed = exit === 73 ? /\/(result\.json|fettle-runs|fettle-runs\/\.gitignore|fettle-runs\/locks)$/ : /\/result\.json$/
  expect(namesIn(cwd).filter(name => before.includes(name) || !allowed.test(name))).toEqual(before)
}
