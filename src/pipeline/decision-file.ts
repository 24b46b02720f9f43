/** Decision tables, such as `decisions/limit.yml`: text -> table, or every problem with its place. */
import { type TableProblem, tableProblems, testTable } from '../decide/problems.ts'
import { type DecisionTable, tableSchema } from '../decide/table.ts'
import type { Issue } from '../errors.ts'
import { checkSchema } from './schema/issues.ts'
import { MAX_BYTES, pipelineFormat } from './source/decode.ts'
import { readJson } from './source/json.ts'
import { placedText, toIssues } from './source/placed-issues.ts'
import { mapScalars, offsetAt, type SyntaxIssue, type Tree, toPlain } from './source/tree.ts'
import { readYaml } from './source/yaml.ts'

const FORM = {
  schema: tableSchema,
  name: 'a decision table',
  examples: {
    rules: 'rules: [{ name: inactive, when: { general.status: { not: Active } }, decision: decline }]',
    otherwise: 'otherwise: accept',
  },
}

/** Parses the text of a decision table. Never throws because of the text. `issuesOf`: problems found later, with their places. */
export function parseDecisionTable(text: string, file: string) {
  const { source, placeAt } = placedText(text, file)
  const place = (findings: readonly SyntaxIssue[], tree: Tree | null): Issue[] =>
    toIssues(findings, tree, placeAt, { code: 'FETTLE_DECISION_TABLE' })
  const refuse = (issues: readonly Issue[]) => ({ table: null, issues, issuesOf: (): readonly Issue[] => [] })
  const refuseText = (message: string) => refuse(place([{ code: 'FETTLE_DECISION_TABLE', message, offset: null }], null))
  if (new TextEncoder().encode(source).length > MAX_BYTES) return refuseText('the decision table is larger than 256 KiB')
  const { tree: read, findings } = pipelineFormat(file) === 'json' ? readJson(source) : readYaml(source)
  if (findings.length > 0) return refuse(place(findings, null))
  if (read === null) return refuseText('the decision table is empty: it needs rules and otherwise')
  // Numbers are compared as they are written: 0012 stays a text where a text is expected.
  const tree = mapScalars(read, scalar => (typeof scalar.value === 'number' ? { ...scalar, value: scalar.source } : scalar))
  const plain = toPlain(tree)
  const toFinding = ({ other, ...problem }: TableProblem): SyntaxIssue => {
    const line = other && placeAt(offsetAt(tree, other)).line
    const message = line == null ? problem.message : `${problem.message} (line ${line})`
    return { code: 'FETTLE_DECISION_TABLE', ...problem, message }
  }
  const issuesOf = (problems: readonly TableProblem[]): readonly Issue[] => place(problems.map(toFinding), tree)
  const form = checkSchema(tree, FORM).findings
  const problems = tableProblems(plain)
  const issues = place([...form, ...problems.map(toFinding)], tree)
  if (form.length > 0 || problems.some(({ severity }) => severity === undefined)) return refuse(issues)
  return { table: tableSchema.parse(plain) as DecisionTable, issues, issuesOf }
}

/** The problems of the tests of a table as of `today`. */
export const testProblems = (table: DecisionTable, today: string): TableProblem[] =>
  testTable(table, today).flatMap(({ failure }) => failure ?? [])
