/**
 * Every bad input of the fault list, lines P1–P43, C1–C32 and A1–A20: exit code, code and position of each problem, a hint, no
 * stack, no secret, nothing sent and nothing created. All run in this process; those where the process matters also run as
 * child processes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampled } from '../../support/runs.ts'
import { folderOf } from '../cli/fettle.ts'
import { type Counting, counting } from '../cli/servers.ts'
import { COMMAND_ROWS } from './cli.ts'
import { CSV_ROWS } from './csv.ts'
import {
  argsOf,
  asProcess,
  folderOfRow,
  inProcess,
  judgeForm,
  judgeIssues,
  judgeNothingMade,
  judgeResultLine,
  namesIn,
} from './kit.ts'
import { PIPELINE_ROWS } from './pipeline.ts'
import type { Row } from './row.ts'

const ROWS: readonly Row[] = [...PIPELINE_ROWS, ...CSV_ROWS, ...COMMAND_ROWS]
/** The port in use that a row speaks of is known once there is one. */
const portIn = (text: string): string => text.replace('{port}', new URL(server.url).port)
const withPort = (row: Row): Row =>
  row.args?.some(word => word.includes('{port}')) === true
    ? {
        ...row,
        args: row.args.map(portIn),
        says: (row.says ?? []).map(words => (typeof words === 'string' ? portIn(words) : words)),
      }
    : row
const LINES = Object.entries({ P: 43, C: 32, A: 20 }).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`),
)

let server: Counting
let env: Record<string, string>
const right = { inProcess: 0, asProcess: 0 }
const beyondStart: number[] = []
let bareStart = 0

beforeAll(async () => {
  server = await counting(() => ({ status: 500, body: {} }))
  env = { FETTLE_URL: server.url, FETTLE_USERNAME: 'tester', FETTLE_PASSWORD: 'canary-password' }
  const starts: number[] = []
  for (let at = 0; at < 5; at++) {
    const before = performance.now()
    await asProcess(['--version'], folderOf(), {})
    starts.push(performance.now() - before)
  }
  bareStart = median(starts)
  // An unknown register is refused by name where there is another one.
  const imported = await asProcess(
    ['register', 'import', 'csv', 'one.csv', '--name', 'one'],
    folderOf({ 'one.csv': 'id,name\n1,Acme Ltd\n' }),
    {},
  )
  expect(imported.code, imported.stderr).toBe(0)
})

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

afterAll(() => {
  const later = ROWS.filter(row => row.later !== undefined)
  console.info(
    `${LINES.length} lines, ${ROWS.length} inputs tried: ${right.inProcess} right in process, and ${right.asProcess} right as processes; ` +
      `${later.length} of them refused until a later version has the feature (${[...new Set(later.map(row => row.line))].join(' ')}); ` +
      `${Math.round(median(beyondStart))} ms beyond a bare start of ${Math.round(bareStart)} ms (median)`,
  )
})

const titled = (rows: readonly Row[]) => rows.map((row, at) => [`${row.line} ${row.what} (${at})`, row] as const)

/** No content of a table: a file that changes while it is read (reading.test.ts), another Node, a closed pipe (processes.test.ts). */
const ELSEWHERE = ['C27', 'A17', 'A18']

test.each(LINES.filter(line => !ELSEWHERE.includes(line)))('%s is played', line => {
  expect(ROWS.filter(row => row.line === line).length).toBeGreaterThan(0)
})

test('there are more than 300 inputs, each of a line of the fault list', () => {
  expect(ROWS.length).toBeGreaterThan(300)
  expect(ROWS.filter(row => !LINES.includes(row.line))).toEqual([])
})

describe('in process', () => {
  test.each(titled(ROWS))('%s', async (_, written) => {
    const row = withPort(written)
    const cwd = folderOfRow(row)
    const before = namesIn(cwd)
    const args = argsOf(row)
    const settings = { ...env, ...row.env }
    if (row.exit === 0 && args[0] === 'run') {
      judgeIssues(row, await inProcess(['check', ...args.slice(1), '--trusted', '--json'], cwd, settings))
      judgeForm(row, await inProcess([...args, '--dry-run'], cwd, settings))
    } else if (row.line.startsWith('A')) judgeForm(row, await inProcess(args, cwd, settings))
    else {
      const ended = await inProcess([...args, '--json', '--result-file', 'result.json'], cwd, settings)
      judgeForm(row, ended)
      judgeResultLine(row, ended, cwd)
      const checks = args.slice(1).filter((word, at, all) => word !== '--runs-dir' && all[at - 1] !== '--runs-dir')
      if (checks.length === args.length - 1 && !(row.errors ?? []).includes('USAGE'))
        judgeIssuesOf(row, await inProcess(['check', ...checks, '--trusted', '--json'], cwd, settings))
    }
    judgeNothingMade(row, before, cwd)
    expect(server.connections).toBe(0)
    right.inProcess++
  })
})

/** Settings are refused before there is anything to list. */
function judgeIssuesOf(row: Row, ended: { code: number; stdout: string; stderr: string }): void {
  expect(ended.code).toBe(row.exit)
  if (!ended.stdout.includes('"fettle/result/v1"')) judgeIssues(row, ended)
}

/** Those marked, and the first three of each line about the command line. */
const processes = ROWS.filter(
  row => row.process === true || (row.line.startsWith('A') && ROWS.filter(one => one.line === row.line).indexOf(row) < 3),
)

/** Services share a data folder, and only one may have it. */
const isService = ({ args }: Row): boolean => args?.[0] === 'serve'

describe('as processes', () => {
  const played = sampled(processes, 12)
  const halves = [0, 1].map(half => played.filter((row, at) => (isService(row) ? 0 : at % 2) === half))
  test.concurrent.each(halves.map((rows, at) => [at + 1, rows] as const))(
    'half %i of the inputs where the process matters',
    async (_, rows) => {
      const wrong: string[] = []
      for (const row of rows.map(withPort)) {
        const cwd = folderOfRow(row)
        const before = namesIn(cwd)
        const started = performance.now()
        const args = row.exit === 0 && argsOf(row)[0] === 'run' ? [...argsOf(row), '--dry-run'] : argsOf(row)
        const ended = await asProcess(args, cwd, { ...env, ...row.env })
        beyondStart.push(performance.now() - started - bareStart)
        try {
          judgeForm(row, ended)
          judgeNothingMade(row, before, cwd)
          right.asProcess++
        } catch (error) {
          wrong.push(`${row.line} ${row.what}: ${(error as Error).message}`)
        }
      }
      expect(wrong.join('\n')).toBe('')
      expect(server.connections).toBe(0)
    },
  )
})
