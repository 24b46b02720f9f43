/** Test files, such as `suppliers.test.yml`: text -> tests of a pipeline, or every problem with its place. */

import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml'
import { z } from 'zod'
import type { Issue } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import { pipelineFormat } from './source/decode.ts'
import { readJson } from './source/json.ts'
import { placedText, toIssues } from './source/placed-issues.ts'
import { show, showList } from './source/quote.ts'
import { mapScalars, nodeAt, type Path, type SyntaxIssue, type Tree, toPlain } from './source/tree.ts'
import { readYaml } from './source/yaml.ts'

const path = (what: string) => z.string({ error: `expected the path of ${what}` }).min(1, `expected the path of ${what}`)
const records = z
  .array(z.record(z.string(), z.string(), 'expected a record, such as { name: Acme Ltd, country: GB }'), 'expected a list')
  .min(1, 'expected at least one record')

/** Outcomes of rows; a row that a person decided about is manualMatched. */
const OUTCOMES = ['matched', 'manualMatched', 'duplicate', 'review', 'unmatched', 'failed'] as const
const outcome = z.enum(OUTCOMES, `expected one of ${OUTCOMES.join(', ')}`)

const expectation = z.strictObject({
  outcome: outcome.optional(),
  /** The connectId of the company. */
  company: z.string('expected a connectId').optional(),
  cells: z.record(z.string(), z.string(), 'expected cells by the names of their columns').optional(),
})

/** Faults between fettle and the service under which the same result is expected. */
export const TEST_FAULTS = {
  'create-lost': 'the answer to the first request to create a job is lost',
  'upload-cut': 'the connection breaks in the middle of the first upload',
  'upload-lost': 'the answer to the first upload is lost',
  'submit-lost': 'the answer to the first submission is lost',
  'enrich-lost': 'the answer to the first request to enrich is lost',
  'download-cut': 'the first download of the enriched file ends half way',
  'token-expired': 'the access token expires while the job is matched',
  throttled: 'the first request for each operation is answered with 429 and Retry-After',
  unavailable: 'the first request for each operation is answered with 503',
} as const
export type TestFault = keyof typeof TEST_FAULTS
const FAULTS = Object.keys(TEST_FAULTS) as TestFault[]

const testCase = z.strictObject({
  name: z.string('expected a sentence about what the test shows').min(1, 'expected a sentence about what the test shows'),
  rows: z.union([path('a list'), records], 'expected rows, or the path of a list'),
  decisions: path('a file of decisions').optional(),
  expect: z
    .record(z.string(), z.union([outcome, expectation], `expected one of ${OUTCOMES.join(', ')}, or { outcome, company, cells }`))
    .optional(),
  output: path('a CSV file of expected rows').optional(),
  faults: z.array(z.enum(FAULTS, `expected one of ${FAULTS.join(', ')}`), 'expected a list').default([]),
})

const testFile = z.strictObject({
  pipeline: path('a pipeline').optional(),
  register: z.union([path('a register'), records], 'expected companies, the path of a CSV, or the name of a register').optional(),
  decisions: path('a file of decisions').optional(),
  tests: z.array(testCase, 'expected a list of tests').min(1, 'expected at least one test'),
})

export type TestFile = z.output<typeof testFile>
export type TestCase = z.output<typeof testCase>
export type Expectation = z.output<typeof expectation>

/** What a row is expected to be: `matched` is short for `{ outcome: matched }`. */
export const readExpectation = (written: string | Expectation): Expectation =>
  typeof written === 'string' ? { outcome: outcome.parse(written) } : written

const ENDING = /\.test\.(?:ya?ml|json)$/i

export const isTestFile = (name: string): boolean => ENDING.test(name)

/** The name of a test file without its ending: its pipeline is called so. */
export const testedName = (file: string): string => file.replace(ENDING, '')

/** A problem of a test file that is found beyond its text, by the path of what has it. */
export interface TestProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint?: string
  /** It is about the key, not its value. */
  readonly part?: 'key'
}

/** Parses the text of a test file. Never throws because of the text. `issuesOf`: problems with their places, in the order of the file. */
export function parseTestFile(text: string, file: string) {
  const { source, placeAt } = placedText(text, file)
  const placed = (findings: readonly SyntaxIssue[], tree: Tree | null) =>
    toIssues(findings, tree, placeAt, { code: 'FETTLE_TEST_FILE' })
  const refuse = (findings: readonly SyntaxIssue[], tree: Tree | null) => ({
    tests: null,
    issues: placed(findings, tree),
    issuesOf: (): readonly Issue[] => [],
  })
  const { tree: read, findings } = pipelineFormat(file) === 'json' ? readJson(source) : readYaml(source)
  if (findings.length > 0) return refuse(findings, null)
  if (read === null)
    return refuse([{ code: 'FETTLE_TEST_FILE', message: 'the test file is empty: it needs tests', offset: null }], null)
  // Numbers of companies keep their zeros: cells are text, unchanged.
  const tree = mapScalars(read, scalar => ({ ...scalar, value: scalar.value === null ? '' : scalar.source }))
  const parsed = testFile.safeParse(toPlain(tree))
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap(problem => describe(tree, problem, []))
    return refuse(problems, tree)
  }
  const issuesOf = (problems: readonly TestProblem[]): readonly Issue[] => {
    const found = problems.map(problem => ({ code: 'FETTLE_TEST_FILE' as const, ...problem }))
    return placed(found, tree)
  }
  return { tests: parsed.data, issues: [], issuesOf }
}

const KNOWN: readonly (readonly string[])[] = [testFile, testCase, expectation].map(schema => Object.keys(schema.shape))

function describe(tree: Tree, problem: z.core.$ZodIssue, prefix: Path): SyntaxIssue[] {
  const where = [...prefix, ...problem.path]
  const name = where.join('.') || 'the test file'
  if (problem.code === 'unrecognized_keys')
    return problem.keys.map(key => {
      const known = KNOWN[where.length === 0 ? 0 : where.length === 2 ? 1 : 2] ?? []
      const message = `${show(key)} is not part of ${name}${didYouMean(key, known)}`
      return { code: 'FETTLE_TEST_FILE', message, hint: `Known: ${known.join(', ')}.`, path: [...where, key], part: 'key' }
    })
  const node = nodeAt(tree, where)
  // Of a record or list in place of a text, the problem inside it is what was meant.
  if (problem.code === 'invalid_union' && node !== undefined && node.kind !== 'scalar') {
    const inner = problem.errors.find(branch => branch.every(leaf => leaf.path.length > 0 || leaf.code === 'unrecognized_keys'))
    if (inner !== undefined) return inner.flatMap(leaf => describe(tree, leaf, where))
  }
  const found =
    node === undefined
      ? 'is missing'
      : `: ${problem.message}, found ${node.kind === 'map' ? `a record${node.entries.size === 0 ? '' : ` with ${showList([...node.entries.keys()])}`}` : node.kind === 'list' ? 'a list' : show(node.source)}`
  const message = `${name}${found.startsWith(':') ? '' : ' '}${found}`
  const hint = node === undefined ? `${problem.message[0]?.toUpperCase()}${problem.message.slice(1)}.` : undefined
  return [{ code: 'FETTLE_TEST_FILE', message, hint, path: where }]
}

type Expectations = Readonly<Record<string, string | Expectation>>

/** The text with `changes`, by the position of their test. `text` is a test file without errors, in YAML or JSON. */
export function withExpectations(text: string, changes: ReadonlyMap<number, Expectations>): string {
  const tests = parseDocument(text).get('tests', true)
  if (!isSeq(tests)) throw new TypeError('a test file without a fault has tests')
  const edits = [...changes].map(([at, expected]) => makeEdit(text, tests.items[at] as YAMLMap, expected))
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((all, { from, to, text: added }) => all.slice(0, from) + added + all.slice(to), text)
}

const findPair = (test: YAMLMap, name: string): Pair | undefined =>
  test.items.find(({ key }) => isScalar(key) && key.value === name)

const readRange = (node: unknown): readonly [number, number] =>
  (node as { range: [number, number, number] }).range.slice(0, 2) as [number, number]

function makeEdit(text: string, test: YAMLMap, expected: Expectations) {
  const written = findPair(test, 'expect')
  if (written !== undefined) {
    const [start, end] = readRange(written.value)
    if (!isMap(written.value) || written.value.flow === true) return { from: start, to: end, text: flow(expected) }
    const [from] = readRange(written.value.items[0]?.key)
    const to = from + text.slice(from, end).trimEnd().length
    return { from, to, text: block(expected, findColumn(text, from)) }
  }
  const name = findPair(test, 'name')
  const [, end] = readRange(name?.value)
  if (test.flow === true) return { from: end, to: end, text: `, "expect": ${flow(expected)}` }
  const column = findColumn(text, readRange(name?.key)[0])
  const indent = ' '.repeat(column)
  const line = text.indexOf('\n', end)
  const at = line === -1 ? text.length : line
  return { from: at, to: at, text: `\n${indent}expect:\n${indent}  ${block(expected, column + 2)}` }
}

const findColumn = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1)

/** A line for each row. */
const block = (expected: Expectations, column: number): string =>
  Object.entries(expected)
    .map(([key, value]) => `${word(key)}: ${expectationText(value, word)}`)
    .join(`\n${' '.repeat(column)}`)

/** JSON, which YAML contains. */
const flow = (expected: Expectations): string =>
  `{ ${Object.entries(expected)
    .map(([key, value]) => `${JSON.stringify(key)}: ${expectationText(value, JSON.stringify)}`)
    .join(', ')} }`

function expectationText(value: string | Expectation, quote: (text: string) => string): string {
  if (typeof value === 'string') return quote(value)
  const facts = Object.entries(value).map(([key, one]) => {
    const cells = (): string =>
      `{ ${Object.entries(one as object)
        .map(([name, cell]) => `${quote(name)}: ${JSON.stringify(cell)}`)
        .join(', ')} }`
    return `${quote(key)}: ${typeof one === 'string' ? quote(one) : cells()}`
  })
  return facts.length === 0 ? '{}' : `{ ${facts.join(', ')} }`
}

/** In quotes unless YAML reads it as the same text. */
const word = (text: string): string =>
  /^[A-Za-z][\w.-]*$/.test(text) && !/^(?:null|true|false)$/i.test(text) ? text : JSON.stringify(text)
