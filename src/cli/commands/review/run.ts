/** `fettle review`: decides about uncertain rows one by one, in a table, or on the report page, and writes the outputs again. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Action, action, EXIT } from '../../../errors.ts'
import type { RunResult } from '../../../execution/run-settings.ts'
import { writeAtomic } from '../../../files/atomic-file.ts'
import { sweepBeside } from '../../../files/stale-temp-files.ts'
import type { RunState } from '../../../journal/index.ts'
import type { HitToDecide } from '../../../model/results.ts'
import { nameDecisionsFile } from '../../../pipeline/index.ts'
import { assertInProject } from '../../../prepare/decisions.ts'
import { escapeTerminal, isUnmatched, type Report, renderHtml, resultLine } from '../../../report/index.ts'
import { count, counted } from '../../../report/words.ts'
import {
  type Decision,
  Decisions,
  hitToDecide,
  mergeDecisions,
  orderForTeaching,
  readDecisionTable,
  requireDecisions,
  requireHitDecisions,
  writeDecisions,
  writeTable,
} from '../../../results/index.ts'
import { applyDecisions, reviewTable, runForReview } from '../../../review/review.ts'
import { companySearch, readProved } from '../../../review/typed-companies.ts'
import { type ReviewRow, reviewRows } from '../../../runs/review-rows.ts'
import { reportOfRun } from '../../../runs/run-queries.ts'
import { shellCommand } from '../../../shell-command.ts'
import { type Flags, usageError } from '../../command.ts'
import { assertReplaceableReport } from '../../options/overwrite-guards.ts'
import { isOn, listFlag, needText, textFlag } from '../../options/read.ts'
import { EXTENSIONS } from '../../reporters/registry.ts'
import type { Io } from '../../terminal/io.ts'
import { exportHits, type HitReview, openHitReview, reviewHitsAtTerminal } from './hits.ts'
import { type Chosen, runReviewSession } from './session.ts'

export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const { state, directory } = runForReview(runsDir, textFlag(flags, 'run') ?? undefined)
  const kept = (await reviewRows(state, directory)) ?? []
  const rows = isOn(flags, 'unmatched') ? kept : kept.filter(row => !isUnmatched(row))
  const unmatched = countUnmatched(state, kept)
  const apply = textFlag(flags, 'apply')
  const exports = listPairs(listFlag(flags, 'export'))
  const named = textFlag(flags, 'decisions')
  const target = named ?? state.plan.decisions ?? nameDecisionsFile(state.plan.name)
  const path = resolve(io.cwd, target)
  const roots = state.plan.output?.roots ?? []
  if (named === null) await assertInProject(target, { cwd: io.cwd, roots })
  await sweepBeside(path)
  const old = existsSync(path) ? await requireDecisions(target, io.cwd) : []
  const hits = await openHitReview(state, io)
  if (exports.length > 0) {
    for (const [format, to] of exports)
      if (format === 'hits') await exportHitsTo(to, hits, state, runsDir, io)
      else
        await exportTo(format, to, {
          rows: format === 'html' ? kept : rows,
          unmatched,
          state,
          runsDir,
          io,
          stored: old,
          hits: hits?.hits.map(hit => hitToDecide(hit.company, hit)) ?? [],
        })
    return EXIT.ok
  }
  // The folder is looked at again for each writing: a link may have come since.
  const keep = (lines: readonly Decision[]): Promise<void> =>
    writeDecisions(path, mergeDecisions(old, lines), { root: io.cwd, roots: named === null ? roots : null })
  const isOfHits = apply !== null && (await isHitTable(apply, io.cwd))
  const decided =
    apply === null
      ? null
      : isOfHits
        ? []
        : signed(await readProved(apply, state.plan, { rows: kept, stored: old }, io), whoIs(flags, io))
  if (decided !== null && !isOfHits) await keep(decided)
  const added =
    decided ?? (await reviewAtTerminal({ rows, unmatched, state, old, keep }, (hits?.open.length ?? 0) > 0, flags, io))
  const judged = await decideHits(hits, isOfHits ? apply : null, apply === null, flags, io)
  if (added.length + judged === 0 && !isOn(flags, 'fetch')) {
    io.err('nothing was decided')
    return EXIT.ok
  }
  if (judged > 0) print(io, `${counted(judged, 'hit')} decided, stored in ${hits!.file}`)
  const isNamed = state.plan.decisions !== null && resolve(io.cwd, state.plan.decisions) === path
  if (added.length > 0) {
    print(io, `${counted(new Set(added.map(({ fingerprint }) => fingerprint)).size, 'row')} decided, stored in ${target}`)
    if (!isNamed) print(io, howToKeep(state, target))
  }
  const options = { env: io.env, cwd: io.cwd, runsDir, signal: io.signal, fetch: isOn(flags, 'fetch') }
  const result = await applyDecisions(state.runId, mergeDecisions(old, added), options)
  const applied = old.length > 0 ? 'applied, with the earlier decisions' : 'applied'
  return printResult(result, added.length + old.length > 0 ? applied : null, flags, io)
}

const listPairs = (values: readonly string[]): [string, string][] =>
  values.flatMap((format, at) => (at % 2 === 0 ? [[format, values[at + 1] ?? ''] as [string, string]] : []))

/** `clean` finds the file by its name; a pipeline has to name it. */
const howToKeep = ({ args, plan }: RunState, target: string): string =>
  args.command === 'clean'
    ? `fettle clean applies them from now on${target === nameDecisionsFile(plan.name) ? '' : ` with --decisions ${target}`}`
    : `to apply them on every run, add this to the pipeline:  review: { decisions: ${target} }`

const whoIs = (flags: Flags, io: Io): string => textFlag(flags, 'by') ?? io.env.USER ?? io.env.USERNAME ?? ''

/** Completes lines without a person or time of decision. */
const signed = <Line extends { readonly by: string; readonly at: string }>(lines: readonly Line[], who: string): Line[] => {
  const now = new Date().toISOString()
  return lines.map(line => ({ ...line, by: line.by || who, at: line.at || now }))
}

const print = (io: Io, text: string): void => io.err(escapeTerminal(text))

/** `applied`: how the effects of decisions about rows are introduced; null without any. */
function printResult({ state, report, directory }: RunResult, applied: string | null, flags: Flags, io: Io): number {
  const [result] = report.results
  const { decisions } = state
  if (decisions !== null && applied !== null) {
    const effects = Object.entries(decisions).flatMap(([name, rows]) => (rows > 0 ? [`${count(rows)} ${name}`] : []))
    print(io, `${applied}: ${effects.join(', ') || 'none'}`)
  }
  if (isOn(flags, 'json')) io.out(resultLine(report))
  else {
    print(io, result?.message ?? '')
    for (const { kind, path, rows } of state.outputs)
      io.text(escapeTerminal(`${kind.padEnd(9)} ${path}  ${counted(rows, 'row')}`))
    io.text(escapeTerminal(`report    ${directory.path}/report.html`))
  }
  return state.exitCode ?? EXIT.ok
}

/** The rows to review, the decisions that are stored already, and what stores new ones. */
interface Review extends Pick<Exported, 'rows' | 'unmatched' | 'state'> {
  readonly old: readonly Decision[]
  readonly keep: (lines: readonly Decision[]) => Promise<void>
}

/** Decides about hits, by a table or at the terminal, and returns how many. Throws FETTLE_USAGE, FETTLE_DECISIONS. */
async function decideHits(hits: HitReview | null, table: string | null, isAsked: boolean, flags: Flags, io: Io): Promise<number> {
  if (table !== null) {
    if (hits === null)
      throw usageError(
        `${table} decides about hits, and the pipeline of the run applies no such decisions`,
        'Add screen: { decisions: FILE.csv } to the pipeline, and run it again.',
      )
    const lines = signed(await requireHitDecisions(table, io.cwd), whoIs(flags, io))
    if (lines.length > 0) await hits.keep(lines)
    return lines.length
  }
  const isAll = isOn(flags, 'all')
  if (!isAsked || hits === null || (isAll ? hits.hits : hits.open).length === 0) return 0
  if (!io.isTerminal || io.stdin().isTTY !== true)
    throw usageError(
      `${counted(hits.open.length, 'hit')} to decide about, but this is not a terminal`,
      'Export a table with --export hits FILE.csv; then pass --apply FILE.',
    )
  const signature = { by: whoIs(flags, io), at: new Date().toISOString(), expires: readExpiry(flags) }
  return (await reviewHitsAtTerminal(hits, { ...signature, isAll }, io)).length
}

/** Whether a table has decisions about hits, and not about rows. */
async function isHitTable(path: string, root: string): Promise<boolean> {
  const { lines, issues } = await readDecisionTable(path, root, ['digest', 'facts'], 2)
  return issues.length === 0 && lines.length > 0
}

async function exportHitsTo(to: string, hits: HitReview | null, state: RunState, runsDir: string, io: Io): Promise<void> {
  if (hits === null)
    throw usageError(
      '--export hits: the pipeline of the run applies no decisions about hits',
      'Add screen: { decisions: FILE.csv } to the pipeline, and run it again.',
    )
  const flag = `--export hits ${to}`
  await assertReplaceableReport(to, { cwd: io.cwd, runsDir, extensions: EXTENSIONS.csv, flag })
  const count = await exportHits(hits, resolve(io.cwd, to))
  print(io, `${counted(count, 'hit')} in ${to}`)
  print(io, `write clear or confirm into the column decision, then: ${shellCommand(applyAction(state, to), runsDir)}`)
}

/** Rows without a decision first; hits may be next. Throws FETTLE_USAGE without a terminal. */
async function reviewAtTerminal(
  { rows, unmatched, state, old, keep }: Review,
  hasHits: boolean,
  flags: Flags,
  io: Io,
): Promise<readonly Decision[]> {
  const earlier = findEarlier(old)
  const left = rows.filter(row => earlier(row) === null)
  const toReview = left.filter(row => !isUnmatched(row))
  const undecided = [...orderForTeaching(toReview, ({ candidates }) => candidates[0]?.id ?? ''), ...left.filter(isUnmatched)]
  const open = isOn(flags, 'all') ? [...undecided, ...rows.filter(row => earlier(row) !== null)] : undecided
  if (open.length === 0 && hasHits) return []
  if (open.length === 0) {
    const more =
      unmatched.all > 0 && !isOn(flags, 'unmatched') ? `; --unmatched shows ${counted(unmatched.all, 'unmatched row')}` : ''
    io.err(`${rows.length === 0 ? 'there is nothing to review' : 'every row is decided; --all includes decided rows'}${more}`)
    return []
  }
  if (!io.isTerminal || io.stdin().isTTY !== true)
    throw usageError(
      `${counted(open.length, 'row')} to review, but this is not a terminal`,
      'Export a table with --export csv FILE or --export xlsx FILE, or use the report page; then pass --apply FILE.',
    )
  const by = whoIs(flags, io)
  const expires = readExpiry(flags)
  const at = new Date().toISOString()
  const listLines = (row: ReviewRow, chosen: NonNullable<Chosen> | null): readonly Decision[] => {
    const line = { fingerprint: row.fingerprint, name: row.cells.name ?? '', by, at, expires, company: '', companyName: '' }
    if (chosen === null) return [{ ...line, decision: 'undo' }]
    if (chosen.kind === 'accept') {
      const { company, companyName = '' } = chosen
      return [{ ...line, decision: 'accept', company, companyName }]
    }
    const named = row.candidates.filter(({ id }) => id !== '')
    if (named.length === 0) return [{ ...line, decision: 'reject' }]
    return named.map(({ id, name }) => ({ ...line, decision: 'reject', company: id, companyName: name }))
  }
  const isStored = ({ fingerprint }: ReviewRow): boolean => old.some(line => line.fingerprint === fingerprint)
  const search = companySearch(state.plan, io.env)
  try {
    return await runReviewSession(io, { rows: open, listLines, earlier, isStored, search, keep })
  } finally {
    search.close()
    if (isOn(flags, 'unmatched')) noteUnmatched(unmatched, io)
  }
}

/** The decision about a row: in the decisions file. A rejection of some candidates leaves it open. */
function findEarlier(old: readonly Decision[]): (row: ReviewRow) => Chosen {
  const decisions = new Decisions(old, new Date().toISOString().slice(0, 10))
  return ({ fingerprint, candidates }) => {
    const verdict = decisions.of(fingerprint)
    if (verdict === undefined) return null
    const { accepted, none, rejected } = verdict
    if (accepted !== null) return { kind: 'accept', company: accepted.company, by: accepted.by }
    const isOver = none !== null || candidates.every(({ id }) => rejected.has(id))
    return isOver ? { kind: 'reject', by: (none ?? [...rejected.values()][0])?.by ?? '' } : null
  }
}

/** The last day on which decisions apply, '' for no limit. */
function readExpiry(flags: Flags): string {
  const day = textFlag(flags, 'expires') ?? ''
  if (day !== '' && (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))))
    throw usageError(`--expires ${day}: expected a day such as 2027-11-21`)
  return day
}

/** Rows without a company and without a decision: all, and those that the run kept. */
interface Unmatched {
  readonly all: number
  readonly kept: number
}

function countUnmatched({ outcomes }: RunState, rows: readonly ReviewRow[]): Unmatched {
  const found = rows.filter(({ outcome }) => outcome === 'unmatched')
  const kept = found.filter(isUnmatched).length
  return { all: Math.max(kept, (outcomes?.unmatched ?? 0) - (found.length - kept)), kept }
}

/** Rows that a run did not keep cannot be decided. */
function noteUnmatched({ all, kept }: Unmatched, io: Io): void {
  if (all <= kept) return
  const next = kept === 0 ? '; report.rows: all in the pipeline keeps them' : ''
  print(io, `the run kept ${count(kept)} of ${counted(all, 'unmatched row')}${next}`)
}

interface Exported {
  readonly rows: readonly ReviewRow[]
  readonly unmatched: Unmatched
  readonly state: RunState
  readonly runsDir: string
  readonly io: Io
  readonly stored: readonly Decision[]
  readonly hits: readonly HitToDecide[]
}

/** Replaces only an earlier export, and none with decisions that were not applied. */
async function exportTo(format: string, to: string, exported: Exported): Promise<void> {
  const { rows, hits, state, runsDir, io } = exported
  const path = resolve(io.cwd, to)
  if (format !== 'csv' && format !== 'xlsx' && format !== 'html')
    throw usageError(`--export ${format} ${to}: expected csv, xlsx, html or hits, and a file`)
  const flag = `--export ${format} ${to}`
  await assertReplaceableReport(to, { cwd: io.cwd, runsDir, extensions: EXTENSIONS[format], flag })
  if (format === 'html') {
    const page = renderHtml(withoutPlace(reportOfRun(runsDir, state.runId)), rows, hits, Number.POSITIVE_INFINITY)
    await writeAtomic(path, page, { isShared: true })
    return print(io, `${describeRows(rows)} in ${to}`)
  }
  if (existsSync(path)) {
    if (format !== 'csv' || !isReview(path))
      throw usageError(`${flag} exists and is not an earlier export; refusing to overwrite it`, 'Name another file.')
    await assertApplied(to, exported)
  }
  const mappings = state.plan.mappings.map(({ mapping }) => mapping)
  const { names, rows: lines, sheetColumns } = reviewTable(mappings, rows)
  await writeTable(path, format, names, lines, sheetColumns)
  print(io, `${describeRows(rows)} in ${to}`)
  if (rows.some(isUnmatched)) {
    noteUnmatched(exported.unmatched, io)
    print(io, `for an unmatched row, write accept and the id of its company into a line of the row`)
  }
  print(io, `write accept, reject or later beside a company, then: ${shellCommand(applyAction(state, to), runsDir)}`)
}

function describeRows(rows: readonly ReviewRow[]): string {
  const unmatched = rows.filter(isUnmatched).length
  const review = `${counted(rows.length - unmatched, 'row')} to review`
  return unmatched === 0 ? review : `${review} and ${counted(unmatched, 'unmatched row')}`
}

const applyAction = ({ plan }: RunState, file: string): Action => action('review', plan.name, '--apply', file)

async function assertApplied(file: string, { state, runsDir, stored, io }: Exported): Promise<void> {
  const formatKey = ({ fingerprint, decision, company }: Decision): string => [fingerprint, decision, company].join(' ')
  const known = new Set(stored.map(formatKey))
  const lines = (await requireDecisions(file, io.cwd)).filter(line => !known.has(formatKey(line)))
  if (lines.length === 0) return
  throw usageError(
    `${file} has ${counted(lines.length, 'decision')} that were not applied; refusing to overwrite it`,
    `Apply them (${shellCommand(applyAction(state, file), runsDir)}), or name another file.`,
  )
}

/** Links of the page are relative to its run directory. */
const withoutPlace = (report: Report): Report => ({ ...report, metadata: { ...report.metadata, directory: null } })

const isReview = (path: string): boolean => {
  const [head = ''] = readFileSync(path, 'utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/, 1)
  return ['fingerprint', 'decision', 'companyName'].every(name => head.split(',').includes(name))
}
