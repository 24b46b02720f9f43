/**
 * Runs the tests of a test file: an embedded service over the register of the file, a fault server in front of it, and for each test a run
 * of the pipeline, once without faults and once under each fault. Time is virtual: no test waits.
 */

import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { type Env, findDataDir, registersOf } from '../env/environment.ts'
import { errorOfIssues, FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { csvText } from '../formats/text-formats.ts'
import { parseRows, parserOptions } from '../input/table/records.ts'
import { run } from '../library/library.ts'
import {
  nearest,
  type PipelineInput,
  parseTestFile,
  type TestCase,
  type TestFault,
  type TestFile,
  type TestProblem,
  testedName,
  withExpectations,
} from '../pipeline/index.ts'
import { readText } from '../prepare/read-pipeline.ts'
import { findRegisterDir } from '../prepare/registers.ts'
import type { FaultInput, Policy } from '../testing/index.ts'
import { accepted, type Expected, judge, type TestedRow } from './compare.ts'
import { mappedHeaders, noPipeline, readKey, readTested, testPipeline } from './test-pipeline.ts'

/** One test, or one test under a fault. */
export interface TestResult {
  readonly file: string
  readonly name: string
  readonly fault: TestFault | null
  /** What differs from the expectation, a line each; empty: passed. */
  readonly failures: readonly string[]
  readonly ms: number
}

export interface TestOptions {
  readonly env: Env
  readonly cwd: string
  readonly signal: AbortSignal
  /** Replace the expectations with what was found. */
  readonly update: boolean
  readonly onResult: (result: TestResult) => void
}

/** Runs every test of a file; returns the expectations that were replaced. Throws when the file or its pipeline is not valid. */
export async function runTestFile(file: string, options: TestOptions): Promise<number> {
  const { cwd, env } = options
  const path = resolve(cwd, file)
  const folder = dirname(path)
  const text = await readText(path)
  if (typeof text !== 'string') throw errorOfIssues([text])
  const { tests: parsed, issues, issuesOf } = parseTestFile(text, file)
  if (parsed === null) throw errorOfIssues(issues)
  const missing = issuesOf(missingFiles(parsed, folder))
  if (missing.length > 0) throw errorOfIssues(missing)
  const tested = await readTested(findPipeline(parsed, file, folder, cwd), env, cwd)
  const unknown = issuesOf(unknownHeaders(parsed, tested))
  if (unknown.length > 0) throw errorOfIssues(unknown)
  const place = await mkdtemp(join(tmpdir(), 'fettle-test-'))
  try {
    const service = await startService(parsed, tested, { folder, place, env })
    try {
      /** With the tables that changed. */
      const changes = new Map<number, Expected>()
      for (const [at, test] of parsed.tests.entries()) {
        let expected = await readExpected(test, folder)
        for (const fault of [null, ...test.faults]) {
          options.signal.throwIfAborted()
          const startedAt = performance.now()
          const { rows, failures } = await runTest({ tested, test, file: parsed, folder, place, fault, service }, options)
          if (rows !== null && fault === null && options.update) {
            const before = expected
            expected = accepted(rows, before)
            changes.set(at, { ...expected, table: expected.table === before.table ? null : expected.table })
          }
          const found = rows === null ? [] : judge(rows, expected)
          options.onResult({ file, name: test.name, fault, failures: [...failures, ...found], ms: performance.now() - startedAt })
        }
      }
      return options.update ? await update({ path, text }, parsed, changes) : 0
    } finally {
      await service.close()
    }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** The pipeline of a test file; null for a file that is not valid, which reports why when it runs. */
export async function testedFile(file: string, cwd: string): Promise<string | null> {
  const path = resolve(cwd, file)
  const text = await readText(path)
  const tests = typeof text === 'string' ? parseTestFile(text, file).tests : null
  try {
    return tests && findPipeline(tests, file, dirname(path), cwd)
  } catch {
    return null
  }
}

function findPipeline({ pipeline }: TestFile, file: string, folder: string, cwd: string): string {
  const shown = (path: string): string => relative(cwd, path) || path
  if (pipeline !== undefined) return shown(resolve(folder, pipeline))
  const name = testedName(resolve(cwd, file))
  const tried = ['.yml', '.yaml', '.json', '.fettle.yml', '.fettle.yaml', '.fettle.json'].map(ending => `${name}${ending}`)
  const found = tried.find(existsSync)
  if (found === undefined) throw noPipeline(file, tried.slice(0, 3).map(shown))
  return shown(found)
}

type Service = Awaited<ReturnType<typeof startService>>

/** The service of a test file: over its companies, its CSV, or registers of this machine. */
interface TestPlaces {
  /** The folder of the test file. */
  readonly folder: string
  /** A temporary folder. */
  readonly place: string
  readonly env: Env
}

async function startService(tests: TestFile, tested: PipelineInput, { folder, place, env }: TestPlaces) {
  const { serveWithFaults, VirtualClock } = await import('../testing/index.ts')
  const { importRegister } = await import('../service/registers/index.ts')
  const { register } = tests
  const isOwn = typeof register === 'object' || isRegisterFile(register)
  const dir = isOwn ? join(place, 'registers') : findRegisterDir(findDataDir(env))
  if (isOwn) {
    const source = typeof register === 'object' ? join(place, 'register.csv') : resolve(folder, register)
    if (typeof register === 'object') await writeAtomic(source, writeCsv(register))
    await importRegister({ file: source, kind: 'csv', name: 'test', dir, now: new Date(0), force: false })
  }
  if (register === undefined && typeof tested.register === 'object' && tested.register !== null && 'file' in tested.register)
    throw new FettleError(
      'FETTLE_USAGE',
      `the register of the pipeline is the list ${tested.register.file}, which tests do not read`,
      {
        hint: 'Name a register for the tests: register: in the test file takes a CSV file, or rows.',
      },
    )
  const named = register ?? tested.register ?? registersOf(env) ?? []
  const registers = isOwn ? [] : ([named].flat() as string[])
  const clock = new VirtualClock()
  const options = { port: 0, dataDir: join(place, 'service'), registerDir: dir, registers, threads: 0, clock: clock.forService() }
  const service = await serveWithFaults(options)
  clock.isIdle = () => service.server.pending() === 0
  return Object.assign(service, { clock })
}

function writeCsv(records: readonly Readonly<Record<string, string>>[]): string {
  const names = [...new Set(records.flatMap(record => Object.keys(record)))]
  const rows = records.map(record => names.map(name => (Object.hasOwn(record, name) ? record[name]! : '')))
  return csvText([names, ...rows], { delimiter: ',', lineEnd: '\n', columns: names.length })
}

interface Task {
  readonly tested: PipelineInput
  readonly test: TestCase
  readonly file: TestFile
  readonly folder: string
  readonly place: string
  readonly fault: TestFault | null
  readonly service: Service
}

async function runTest(
  { tested, test, file, folder, place, fault, service }: Task,
  { env, signal }: TestOptions,
): Promise<{ readonly rows: TestedRow[] | null; readonly failures: readonly string[] }> {
  const cwd = await mkdtemp(join(place, 'run-'))
  const given = test.decisions ?? file.decisions
  if (given !== undefined) await copyFile(resolve(folder, given), join(cwd, 'decisions.csv'))
  const { pipeline, key, names } = testPipeline(tested, test, folder, given === undefined ? null : 'decisions.csv')
  const armed = service.server.arm(fault === null ? [] : FAULTS[fault])
  let rows: TestedRow[]
  try {
    const runsDir = join(cwd, 'runs')
    const own = withService(env, service)
    const report = await run(pipeline, { cwd, env: own, runsDir, runKey: null, clock: service.clock, signal })
    rows = []
    for await (const cells of report.rows())
      rows.push({
        key: key === null ? String(rows.length + 1) : (cells[key] ?? ''),
        outcome: cells[names['match.outcome']] ?? '',
        company: cells[names['general.connectId']] ?? '',
        companyName: cells[names['general.companyName']] ?? '',
        why: cells[names['match.why']] ?? '',
        cells,
      })
  } catch (error) {
    if (signal.aborted || !FettleError.is(error)) throw error
    return { rows: null, failures: [`the run ended with ${error.code}: ${error.message}`] }
  }
  const unmet =
    fault !== null && armed.report().every(({ consumed }) => consumed === 0) ? [`the fault ${fault} did not happen`] : []
  return { rows, failures: unmet }
}

/** Without the settings of this machine's runs: the pipeline's own variables stay. */
const withService = (env: Env, { url, username, password }: Service): Env => ({
  ...Object.fromEntries(Object.keys(env).flatMap(name => (name.startsWith('FETTLE_') ? [] : [[name, env[name]]]))),
  FETTLE_URL: url,
  FETTLE_USERNAME: username,
  FETTLE_PASSWORD: password,
})

async function readTable(path: string): Promise<string[][] | null> {
  const bytes = await readFile(path).catch(() => null)
  if (bytes === null) return null
  const rows: string[][] = []
  for await (const row of parseRows(Readable.from([bytes]), { ...parserOptions(',', 'strict'), bom: true })) rows.push(row)
  return rows
}

async function readExpected({ expect, output }: TestCase, folder: string): Promise<Expected> {
  return { expect, output, table: output === undefined ? null : await readTable(resolve(folder, output)) }
}

/** Writes what was found into the test file and its tables; returns how many expectations changed. */
async function update(
  { path, text }: { readonly path: string; readonly text: string },
  { tests }: TestFile,
  changes: ReadonlyMap<number, Expected>,
): Promise<number> {
  const expectations = new Map<number, NonNullable<Expected['expect']>>()
  let tables = 0
  for (const [at, { expect, output, table }] of changes) {
    const test = tests[at]!
    if (expect !== undefined && expect !== test.expect) expectations.set(at, expect)
    if (output === undefined || table === null) continue
    const file = resolve(dirname(path), output)
    await mkdir(dirname(file), { recursive: true })
    await writeAtomic(file, csvText(table, { delimiter: ',', lineEnd: '\n', columns: table[0]!.length }))
    tables += 1
  }
  if (expectations.size > 0) await writeAtomic(path, withExpectations(text, expectations))
  return expectations.size + tables
}

const lost = (operation: FaultInput['operation']): FaultInput[] => [
  { operation, effect: { kind: 'reset', at: 'reply', carriedOut: true } },
]

/** The first request for each operation is answered so. */
const first =
  (status: number, headers: Readonly<Record<string, string>>): Policy =>
  ({ nth, operation }) =>
    nth === 1 && operation !== null ? { kind: 'status', status, headers } : null

const FAULTS: Readonly<Record<TestFault, readonly FaultInput[] | Policy>> = {
  'create-lost': lost('createJob'),
  'upload-cut': [{ operation: 'upload', effect: { kind: 'reset', at: 'requestBody' } }],
  'upload-lost': lost('upload'),
  'submit-lost': lost('submit'),
  'enrich-lost': lost('enrich'),
  'download-cut': [{ operation: 'file', effect: { kind: 'truncate', framing: 'length', keep: 0.5 } }],
  'token-expired': [{ operation: 'readJob', effect: { kind: 'expireToken' } }],
  throttled: first(429, { 'retry-after': '5' }),
  unavailable: first(503, {}),
}

/** Whether a register is a CSV file, and not the name of an imported one. */
const isRegisterFile = (register: TestFile['register']): register is string =>
  typeof register === 'string' && /\.csv(?:\.gz)?$|[\\/]/i.test(register)

/** A file of expected rows that is missing fails its test: `--update` writes it. */
function missingFiles({ pipeline, register, decisions, tests }: TestFile, folder: string): TestProblem[] {
  const named: [TestProblem['path'], string, unknown][] = [
    [['pipeline'], 'the pipeline', pipeline],
    [['register'], 'the register', isRegisterFile(register) ? register : undefined],
    [['decisions'], 'the decisions', decisions],
    ...tests.flatMap(({ rows, decisions: own }, at): [TestProblem['path'], string, unknown][] => [
      [['tests', at, 'rows'], 'the rows', rows],
      [['tests', at, 'decisions'], 'the decisions', own],
    ]),
  ]
  return named.flatMap(([path, what, file]) =>
    typeof file !== 'string' || existsSync(resolve(folder, file))
      ? []
      : [{ path, message: `${what} ${file}: there is no such file`, hint: 'Paths start from the folder of the test file.' }],
  )
}

/** Headers of written rows that are close to one which the pipeline maps and the row does not have. Others are columns that it does not read. */
function unknownHeaders({ tests }: TestFile, tested: PipelineInput): TestProblem[] {
  const mapped = [readKey(tested) ?? [], ...mappedHeaders(tested)].flat()
  return tests.flatMap(({ rows }, test) => {
    if (typeof rows === 'string') return []
    return rows.flatMap((row, at) => {
      const absent = mapped.filter(header => !Object.hasOwn(row, header))
      return Object.keys(row).flatMap((header): TestProblem[] => {
        const meant = mapped.includes(header) ? null : nearest(header, absent)
        const path = ['tests', test, 'rows', at, header]
        return meant === null
          ? []
          : [{ path, part: 'key', message: `"${header}" is not a header that the pipeline maps; did you mean ${meant}?` }]
      })
    })
  })
}
