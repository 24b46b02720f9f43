/** `fettle test`: runs test files and prints what differs; exit code 1 when a test fails, 2 when a file is not valid. */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, normalize, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { EXIT } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { isTestFile } from '../../pipeline/index.ts'
import { runTestFile, type TestResult, testedFile } from '../../pipeline-tests/run-tests.ts'
import { runTableTests } from '../../pipeline-tests/table-tests.ts'
import { formatDay } from '../../prepare/decisions.ts'
import { escapeTerminal, escapeXml, safeJson } from '../../report/formats/escape.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, textFlag } from '../options/read.ts'
import { chooseExit, worstExit } from '../result/exit.ts'
import type { Io } from '../terminal/io.ts'
import { printError } from '../terminal/print-error.ts'
import { selectedFiles } from './pipelines.ts'

/** A file that is not valid, or whose service did not start. */
type BrokenFile = { readonly file: string; readonly error: unknown }

export async function run(flags: Flags, io: Io): Promise<number> {
  const isJson = isOn(flags, 'json')
  const results: TestResult[] = []
  const broken: BrokenFile[] = []
  let updated = 0
  const onResult = (result: TestResult): void => {
    results.push(result)
    if (!isJson) io.text(lines(result).map(escapeTerminal).join('\n'))
  }
  for (const file of await chosenFiles(flags, io))
    try {
      if (isTable(file)) {
        const unreached = await runTableTests(file, { cwd: io.cwd, today: formatDay(Date.now()), onResult })
        if (unreached.length > 0 && !isJson) io.text(escapeTerminal(`     ${file}: no test reaches ${unreached.join(', ')}`))
      } else
        updated += await runTestFile(file, {
          env: io.env,
          cwd: io.cwd,
          signal: io.signal,
          update: isOn(flags, 'update'),
          onResult,
        })
    } catch (error) {
      if (io.signal.aborted) throw error
      broken.push({ file, error })
      io.err(printError(error, isOn(flags, 'debug')))
    }
  const failed = results.filter(({ failures }) => failures.length > 0)
  const code = worstExit([...broken.map(({ error }) => chooseExit(error)), failed.length > 0 ? EXIT.checks : EXIT.ok])
  const junit = textFlag(flags, 'junit')
  if (junit !== null) await writeAtomic(resolve(io.cwd, junit), renderJunit(results, broken))
  if (isJson) io.out(safeJson({ schema: 'fettle/test/v1', ok: code === EXIT.ok, exitCode: code, updated, results }))
  else io.text(summary(results.length, failed.length, broken.length, updated))
  return code
}

/** The test files of the pipelines that --select chooses. */
async function chosenFiles(flags: Flags, io: Io): Promise<string[]> {
  const files = await findFiles(listFlag(flags, 'files'), io.cwd)
  if (listFlag(flags, 'select').length === 0) return files
  const pipelines = await Promise.all(files.map(file => (isTable(file) ? null : testedFile(file, io.cwd))))
  const known = pipelines.filter(pipeline => pipeline !== null)
  const chosen = await selectedFiles([...new Set(known)], flags, io)
  const left = files.filter((_, at) => pipelines[at] === null || chosen.includes(pipelines[at]!))
  if (left.length === 0) io.err(`no pipeline is selected, of ${new Set(known).size}`)
  return left
}

/** The files and the files of folders that are named, or all below this folder. Throws when there are no test files. */
async function findFiles(given: readonly string[], cwd: string): Promise<string[]> {
  const found: string[] = []
  for (const name of given.length === 0 ? ['.'] : given) {
    const facts = await stat(resolve(cwd, name)).catch(() => null)
    if (facts === null) throw usageError(`there is no file ${name}`, 'Pass test files or folders.')
    if (!facts.isDirectory()) {
      if (!isTestFile(name) && !isTable(name))
        throw usageError(
          `${name} is neither a test file nor a decision table by its name`,
          'Test files end in .test.yml, .test.yaml or .test.json; tables are in a folder called decisions.',
        )
      found.push(name)
      continue
    }
    const inside = await testFilesIn(resolve(cwd, name), '')
    const hint = 'Write one beside a pipeline, such as suppliers.test.yml beside suppliers.yml; see docs/testing.md.'
    if (inside.length === 0) throw usageError(`there is no test file in ${name === '.' ? 'this folder' : name}`, hint)
    found.push(...inside.map(file => normalize(join(name, file))))
  }
  return [...new Set(found)]
}

/** A decision table by its place: YAML or JSON in a folder called decisions. */
const isTable = (file: string): boolean =>
  basename(dirname(resolve(file))) === 'decisions' && !isTestFile(file) && /\.(?:ya?ml|json)$/i.test(file)

const SKIPPED = new Set(['node_modules', 'fettle-runs'])

async function testFilesIn(folder: string, below: string): Promise<string[]> {
  const entries = (await readdir(join(folder, below), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = entries
    .filter(entry => entry.isFile() && (isTestFile(entry.name) || isTable(join(folder, below, entry.name))))
    .map(({ name }) => join(below, name))
  const folders = entries.filter(entry => entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name))
  for (const { name } of folders) files.push(...(await testFilesIn(folder, join(below, name))))
  return files
}

const formatTitle = ({ name, fault }: TestResult): string => (fault === null ? name : `${name} (${fault})`)

function lines(result: TestResult): string[] {
  const verdict = result.failures.length === 0 ? 'ok  ' : 'FAIL'
  return [`${verdict} ${result.file} > ${formatTitle(result)}`, ...result.failures.map(text => `       ${text}`)]
}

function summary(all: number, failed: number, broken: number, updated: number): string {
  const parts = [`${all - failed} passed`]
  if (broken > 0) parts.unshift(`${counted(broken, 'file')} could not be run`)
  if (failed > 0) parts.unshift(`${failed} failed`)
  if (updated > 0) parts.push(`${counted(updated, 'expectation')} replaced`)
  return `${parts.join(', ')}${failed === 0 ? '' : '. If the new results are right: fettle test --update'}`
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** A suite is a test file, a case a test or a test under a fault; a file that is not valid is an error. */
function renderJunit(results: readonly TestResult[], broken: readonly BrokenFile[]): string {
  const suites = [...new Set(results.map(({ file }) => file))].map(file => {
    const tests = results.filter(result => result.file === file)
    return renderSuite(file, tests.map(renderCase), tests.filter(({ failures }) => failures.length > 0).length, 0)
  })
  const errors = broken.map(({ file, error }) => {
    const message = escapeXml(error instanceof Error ? error.message : String(error))
    const broken = `    <testcase classname="${escapeXml(file)}" name="file"><error message="${message}"/></testcase>`
    return renderSuite(file, [broken], 0, 1)
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="fettle test">\n${[...suites, ...errors].join('')}</testsuites>\n`
}

const renderSuite = (file: string, cases: readonly string[], failures: number, errors: number): string =>
  `  <testsuite name="${escapeXml(file)}" tests="${cases.length}" failures="${failures}" errors="${errors}">\n${cases.join('\n')}\n  </testsuite>\n`

function renderCase(result: TestResult): string {
  const head = `    <testcase classname="${escapeXml(result.file)}" name="${escapeXml(formatTitle(result))}" time="${seconds(result.ms)}"`
  const [first] = result.failures
  if (first === undefined) return `${head}/>`
  return `${head}><failure message="${escapeXml(first)}">${result.failures.map(escapeXml).join('\n')}</failure></testcase>`
}
