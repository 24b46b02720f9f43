/** Replaces expectations in the text of a test file; every other byte of it stays. */
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml'
import type { Expectation } from './test-file.ts'

type Expectations = Readonly<Record<string, string | Expectation>>

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The text with `changes`, by the position of their test. `text` is a test file without errors, in YAML or JSON. */
export function withExpectations(text: string, changes: ReadonlyMap<number, Expectations>): string {
  const tests = parseDocument(text).get('tests', true)
  if (!isSeq(tests)) throw new TypeError('a test file without a fault has tests')
  const edits = [...changes].map(([at, expected]) => editOf(text, tests.items[at] as YAMLMap, expected))
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((all, { from, to, text: added }) => all.slice(0, from) + added + all.slice(to), text)
}

const pairOf = (test: YAMLMap, name: string): Pair | undefined =>
  test.items.find(({ key }) => isScalar(key) && key.value === name)

const rangeOf = (node: unknown): readonly [number, number] =>
  (node as { range: [number, number, number] }).range.slice(0, 2) as [number, number]

function editOf(text: string, test: YAMLMap, expected: Expectations): Edit {
  const written = pairOf(test, 'expect')
  if (written !== undefined) {
    const [start, end] = rangeOf(written.value)
    if (!isMap(written.value) || written.value.flow === true) return { from: start, to: end, text: flow(expected) }
    const [from] = rangeOf(written.value.items[0]?.key)
    const to = from + text.slice(from, end).trimEnd().length
    return { from, to, text: block(expected, columnOf(text, from)) }
  }
  const name = pairOf(test, 'name')
  const [, end] = rangeOf(name?.value)
  if (test.flow === true) return { from: end, to: end, text: `, "expect": ${flow(expected)}` }
  const column = columnOf(text, rangeOf(name?.key)[0])
  const indent = ' '.repeat(column)
  const line = text.indexOf('\n', end)
  const at = line === -1 ? text.length : line
  return { from: at, to: at, text: `\n${indent}expect:\n${indent}  ${block(expected, column + 2)}` }
}

const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1)

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
