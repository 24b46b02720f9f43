/**
 * The rows of the table in outcomes.md: the observed outcomes of each fault at each stage. scripts/faults-table.mjs writes
 * them.
 */
import { readFileSync } from 'node:fs'
import { data } from './data.ts'
import type { Played } from './judge.ts'

/** A fault and its row: for each stage the policy, and the endings that were observed and how often. */
export function tableRow(fault: string, played: readonly Played[]): [string, string] {
  const columns = data.stages.map((stage, at) => {
    const policy = data.faults[fault]?.row[at]
    const counts = new Map<string, number>()
    for (const { cell, outcome } of played) if (cell.stage === stage) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    const told = [...counts]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([outcome, count]) => (count === 1 ? outcome : `${count}×${outcome}`))
    return told.length === 0 ? '·' : `${policy}: ${told.join(' ')}`
  })
  return [fault, `| **${fault}** ${data.faults[fault]?.title} | ${columns.join(' | ')} |`]
}

/** Whether a row of the table tells of this ending at its stage. */
export function isTold(row: string, { cell, outcome }: Played): boolean {
  const column = row.split(' | ')[data.stages.indexOf(cell.stage) + 1] ?? ''
  const endings = column.replace(/ \|$/, '').split(' ')
  return endings.some(text => text.replace(/^\d+×/, '') === outcome)
}

/** The rows as they stand in outcomes.md. */
export function readRows(): Record<string, string> {
  const text = readFileSync(new URL('outcomes.md', import.meta.url), 'utf8')
  const rows = text.split('\n').flatMap(line => {
    const fault = /^\| \*\*(F\d+)\*\* /.exec(line)?.[1]
    return fault === undefined ? [] : [[fault, line] as const]
  })
  return Object.fromEntries(rows)
}
