/**
 * Decisions of people about hits of AML searches, one line per hit, and the file that holds them. A line is about a company under a name, or a director of it, and an
 * entry with these facts: the digest proves that they were not edited.
 */
import { type Issue, issue } from '../../errors.ts'
import { type SinkOptions, writeAtomic } from '../../files/atomic-file.ts'
import { digestOf } from '../../files/file-chunks.ts'
import { csvText } from '../../formats/text-formats.ts'
import type { Facts, Hit } from '../../model/hit-facts.ts'
import type { HitSubject } from '../../model/results.ts'
import { fewIssues, isDay, isMoment, readDecisionTable, requireLines } from '../decisions/decisions.ts'

/** The first five must be there. `person`: the director whom the hit is about; empty for the company itself. */
export const HIT_COLUMNS = [
  ...(['decision', 'company', 'companyName', 'facts', 'digest'] as const),
  ...(['list', 'entry', 'name', 'by', 'at', 'expires', 'person'] as const),
] as const

export type HitColumn = (typeof HIT_COLUMNS)[number]

/** `clear`: the entry is not the company. `confirm`: it is. `undo` removes the earlier lines about the hit. */
export interface HitDecision extends Readonly<Record<Exclude<HitColumn, 'facts' | 'decision'>, string>> {
  readonly decision: 'clear' | 'confirm' | 'undo'
  readonly facts: Facts
}

export const digestFacts = (facts: Facts): string => digestOf(JSON.stringify(facts)).toString('hex')

type About = Pick<HitDecision, 'company' | 'companyName' | 'person' | 'digest' | 'list' | 'entry'>

/** What a line is about: later lines about it override earlier ones. */
export const hitKey = ({ company, companyName, person, digest, list, entry }: About): string =>
  JSON.stringify([company, companyName, person, digest, list, entry])

/** The line of a decision about a hit, without the decision. */
export const hitLine = ({ person = '', ...company }: HitSubject, { list, entry, name, facts }: Hit) => ({
  ...{ company: company.id, companyName: company.name, person, facts, digest: digestFacts(facts), list, entry, name },
})

const isFacts = (value: unknown): value is Facts =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every(texts => Array.isArray(texts) && texts.every(text => typeof text === 'string'))

function parseFacts(text: string): Facts | null {
  try {
    const value: unknown = JSON.parse(text)
    return isFacts(value) ? value : null
  } catch {
    return null
  }
}

type Cells = Readonly<Record<HitColumn, string>>

function findProblems(cells: Cells, facts: Facts | null): [HitColumn, string][] {
  const { decision, company, digest, at, expires } = cells
  const found: [HitColumn, string][] = []
  if (!['clear', 'confirm', 'undo'].includes(decision))
    found.push(['decision', `${JSON.stringify(decision)} is not a decision: expected clear, confirm or undo`])
  if (company === '') found.push(['company', 'company is empty: a decision is about the hit of a company'])
  if (facts === null)
    found.push(['facts', 'facts cannot be read: expected a JSON object with lists of texts, as in an exported table'])
  else if (digestFacts(facts) !== digest) found.push(['digest', 'digest does not belong to the facts: one of them was changed'])
  if (at !== '' && !isMoment(at)) found.push(['at', `at: ${JSON.stringify(at)} is not a date such as 2026-11-21`])
  if (expires !== '' && !isDay(expires))
    found.push(['expires', `expires: ${JSON.stringify(expires)} is not a date such as 2027-11-21`])
  return found
}

/** Reads a file of decisions about hits, and returns all problems at once. Lines without a decision are skipped. */
export async function readHitDecisions(
  path: string,
  root = '',
): Promise<{ readonly lines: readonly HitDecision[]; readonly issues: readonly Issue[] }> {
  const table = await readDecisionTable(path, root, HIT_COLUMNS, 5)
  if (table.issues.length > 0) return { lines: [], issues: table.issues }
  const issues: Issue[] = []
  const lines: HitDecision[] = []
  const decided = new Map<string, { readonly decision: string; readonly line: number }>()
  for (const { cells, line, columnOf } of table.lines) {
    const decision = cells.decision.toLowerCase()
    if (decision === '') continue
    const report = (column: HitColumn, message: string): void =>
      void issues.push(
        issue('FETTLE_DECISIONS', `${path}: ${message}`, { column, at: { file: path, line, column: columnOf(column) } }),
      )
    const facts = parseFacts(cells.facts)
    const problems = findProblems({ ...cells, decision }, facts)
    for (const [column, message] of problems) report(column, message)
    if (problems.length > 0 || facts === null) continue
    const read: HitDecision = { ...cells, decision: decision as HitDecision['decision'], facts }
    const key = hitKey(read)
    const before = decided.get(key)
    if (decision === 'undo') decided.delete(key)
    else if (before !== undefined && before.decision !== decision)
      report('decision', `line ${before.line} already decides about this hit: ${before.decision}. Remove one, or undo the first`)
    else decided.set(key, { decision, line })
    lines.push(read)
  }
  return { lines: issues.length > 0 ? [] : lines, issues: fewIssues(issues, path) }
}

/** Throws FETTLE_DECISIONS. */
export const requireHitDecisions = async (path: string, root = ''): Promise<readonly HitDecision[]> =>
  requireLines(await readHitDecisions(path, root))

export const hitCells = (line: HitDecision): string[] =>
  HIT_COLUMNS.map(column => (column === 'facts' ? JSON.stringify(line.facts) : line[column]))

const STYLE = { delimiter: ',', lineEnd: '\n', columns: HIT_COLUMNS.length }

/** Throws FETTLE_OUTPUT_WRITE. */
export const writeHitDecisions = (
  path: string,
  lines: readonly HitDecision[],
  place: Pick<SinkOptions, 'root' | 'roots'> = {},
): Promise<void> => writeAtomic(path, csvText([[...HIT_COLUMNS], ...lines.map(hitCells)], STYLE), { isShared: true, ...place })

/** Adds lines to the lines of a file: a new line replaces those about its hit, and those that it `replaces`. */
export function mergeHitDecisions(
  old: readonly HitDecision[],
  added: readonly HitDecision[],
  replaces: readonly HitDecision[] = [],
): HitDecision[] {
  const gone = new Set([...added, ...replaces].map(hitKey))
  const last = new Map(added.map(line => [hitKey(line), line]))
  return [...old.filter(line => !gone.has(hitKey(line))), ...[...last.values()].filter(({ decision }) => decision !== 'undo')]
}
