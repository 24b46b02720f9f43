/** Runs the tests of a decision table, as `check` does for the table of a pipeline. */
import { testTable } from '../decide/problems.ts'
import { appliesOn } from '../decide/table.ts'
import { errorOfIssues } from '../errors.ts'
import { readTable } from '../prepare/decision-table.ts'
import type { TestResult } from './run-tests.ts'

/** Runs the tests as of `today`; returns the rules that none of them reaches. Throws the problems of the table. */
export async function runTableTests(
  file: string,
  { cwd, today, onResult }: { readonly cwd: string; readonly today: string; readonly onResult: (result: TestResult) => void },
): Promise<string[]> {
  const { table, issues } = await readTable(file, { cwd, today, columns: null, runsTests: false })
  if (table === null) throw errorOfIssues(issues)
  const reached = new Set<string>()
  for (const { name, rule, failure } of testTable(table, today)) {
    reached.add(rule)
    onResult({ file, name, fault: null, failures: failure === null ? [] : [failure.message], ms: 0 })
  }
  return table.rules.filter(rule => appliesOn(rule, today) && !reached.has(rule.name)).map(({ name }) => name)
}
