/** Compares the outcome of a cell with its expectation; each difference is one line. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderText } from '../../../src/report/index.ts'
import type { EffectCounts } from '../../../src/testing/index.ts'
import type { Sent } from './connections.ts'
import type { Cell } from './data.ts'
import type { Ended } from './run-here.ts'

/** What was seen of a cell. */
export interface Sight {
  readonly first: Ended
  readonly again: Ended | null
  readonly second?: Ended
  readonly changed?: Ended
  readonly damaged?: Ended
  /** Requests of the first start. */
  readonly sent: readonly Sent[]
  /** How many of them had left when the faults were armed. */
  readonly faultedAt: number
  readonly firstOutput: string | null
  readonly output: string | null
  readonly undisturbed: string
  readonly effects: EffectCounts
  readonly leftOver: readonly string[]
  readonly consumed: number
}

/** A cell that was played. */
export interface Played {
  readonly cell: Cell
  /** Exit codes in the order of the starts, as outcomes.md shows them; `75+0`: of a start beside the first. */
  readonly outcome: string
  /** Faults that really happened. */
  readonly consumed: number
  readonly wrong: readonly string[]
}

type Count = number | readonly [number, number]
const within = (value: number, wanted: Count): boolean =>
  typeof wanted === 'number' ? value === wanted : value >= wanted[0] && value <= wanted[1]

const told = ({ exit, code, message }: Ended): string =>
  `exit ${exit} ${code ?? ''} ${message.replace(/\s+/g, ' ').slice(0, 300)}`

/** What is wrong with an ending. */
function compare(
  what: string,
  ended: Ended | null | undefined,
  wanted: { exit: unknown; code?: string | null | undefined; message?: readonly string[] | undefined },
): string[] {
  if (ended == null) return [`${what}: it did not happen`]
  const exits = [wanted.exit].flat()
  const wrong: string[] = []
  if (!exits.includes(ended.exit)) wrong.push(`${what}: expected exit ${exits.join(' or ')}, was ${told(ended)}`)
  else if (wanted.code !== undefined && wanted.code !== ended.code)
    wrong.push(`${what}: expected ${wanted.code}, was ${told(ended)}`)
  else
    for (const text of wanted.message ?? [])
      if (!ended.message.includes(text)) wrong.push(`${what}: no "${text}" in: ${told(ended)}`)
  if (ended.code === 'FETTLE_BUG' || /\n\s+at .+:\d+:\d+/.test(ended.message)) wrong.push(`${what}: a crash: ${told(ended)}`)
  return wrong
}

/** Judges what was seen. */
export function judge(cell: Cell, sight: Sight): Played {
  const { expect, lever } = cell
  const { first, again, sent } = sight
  const host = sent[0]?.host ?? ''
  const wrong = [
    ...sight.leftOver,
    ...compare('the run', first, { ...expect, message: expect.message.map(text => text.replace('{host}', host)) }),
    ...requestsOf(cell, sent),
    ...pauseOf(cell, sight),
    ...(expect.second === undefined ? [] : compare('the second start', sight.second, expect.second)),
    ...(expect.changed === undefined ? [] : compare('resumed with another pipeline', sight.changed, expect.changed)),
    ...(expect.damaged === undefined ? [] : compare('resumed with a damaged journal', sight.damaged, expect.damaged)),
    ...(expect.resume == null ? [] : compare('resumed', again, expect.resume)),
    ...effectsOf(cell, sight.effects),
    ...issuesOf(expect.issues, first),
    ...issuesOf(expect.damaged?.issues ?? [], sight.damaged),
    ...reportOf(cell, first),
  ]
  if (first.exit === 0 && sight.firstOutput !== sight.undisturbed) wrong.push('the output is not that of an undisturbed run')
  if (again?.exit === 0 && sight.output !== sight.undisturbed)
    wrong.push('the output after the resume is not that of an undisturbed run')
  if (({} as { polluted?: unknown }).polluted !== undefined) wrong.push('Object.prototype was polluted')
  const steps = [first, lever?.kind === 'pipelineChanged' ? sight.changed : sight.damaged, again].filter(one => one != null)
  const beside = sight.second === undefined ? '' : `${sight.second.exit}+`
  return { cell, outcome: beside + steps.map(({ exit }) => exit).join('▸'), consumed: sight.consumed, wrong }
}

function requestsOf({ expect }: Cell, sent: readonly Sent[]): string[] {
  return Object.entries(expect.requests).flatMap(([operation, wanted]) => {
    const found = sent.filter(one => one.operation === operation).length
    return within(found, wanted) ? [] : [`${operation}: expected ${[wanted].flat().join('–')} requests, were ${found}`]
  })
}

/** From the request that met the fault to the next one of any kind. */
function pauseOf({ expect, instructions, after }: Cell, { sent, faultedAt }: Sight): string[] {
  if (expect.pausedMs === undefined) return []
  const from = after === undefined ? 0 : faultedAt
  const at = sent.findIndex((one, index) => index >= from && one.operation === instructions[0]?.operation)
  const [faulted, next] = [sent[at], sent[at + 1]]
  if (faulted === undefined || next === undefined) return ['there was no request after the faulted one']
  const paused = next.at - faulted.at
  return within(paused, expect.pausedMs) ? [] : [`paused for ${paused} ms, expected ${expect.pausedMs.join('–')}`]
}

function effectsOf({ expect }: Cell, effects: EffectCounts): string[] {
  const pairs = [
    ['jobs', expect.jobs, effects.creates],
    ['submissions', expect.submits, effects.submits],
    ['enrichments', expect.enriches, effects.enriches],
  ] as const
  return pairs.flatMap(([what, wanted, found]) =>
    wanted === found ? [] : [`expected ${wanted} ${what}, the service carried out ${found}`],
  )
}

function issuesOf(wanted: readonly string[], ended: Ended | undefined): string[] {
  const codes: string[] = ended?.result?.report.results.flatMap(one => one.issues.map(({ code }) => code)) ?? []
  return wanted.filter(code => !codes.includes(code)).map(code => `no warning ${code}, only ${codes.join(' ')}`)
}

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/
const MARKUP = /<script>alert/

function reportOf({ expect }: Cell, { result }: Ended): string[] {
  const wrong: string[] = []
  if (result === null) return expect.report.status === undefined && !expect.clean ? [] : ['there is no report']
  const { report, directory } = result
  const { status, contains, matched, junit } = expect.report
  const text = (name: string): string =>
    existsSync(join(directory.path, name)) ? readFileSync(join(directory.path, name), 'utf8') : ''
  if (status !== undefined && report.status !== status) wrong.push(`the report says ${report.status}, expected ${status}`)
  if (contains !== undefined && !JSON.stringify(report).includes(contains)) wrong.push(`no ${contains} in the report`)
  if (junit !== undefined && !text('junit.xml').includes(junit)) wrong.push(`no ${junit} in junit.xml`)
  if (matched === true && !((report.totals.matched ?? 0) > 0)) wrong.push('the result of the matching is not in the report')
  if (report.elapsedMs < 0 || report.results.some(one => one.stages.some(({ elapsedMs }) => (elapsedMs ?? 0) < 0)))
    wrong.push('a negative time in the report')
  if (expect.clean) {
    const shown = ['report.json', 'report.html', 'report.md', 'junit.xml', 'metrics.txt'].map(name => [name, text(name)] as const)
    for (const [where, what] of [...shown, ['the terminal', renderText(report, { width: 100 })] as const]) {
      const bad = CONTROL.exec(what) ?? (/json|terminal/.test(where) ? null : MARKUP.exec(what))
      if (bad !== null) wrong.push(`foreign text obeys or hides in ${where}: ${JSON.stringify(bad[0])}`)
    }
  }
  return wrong
}
