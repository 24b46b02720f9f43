/** `fettle estimate`: prints what a sample shows about the whole list, and what that rests on. */

import { EXIT, errorOfIssues } from '../../errors.ts'
import type { Plan } from '../../pipeline/index.ts'
import { prepare } from '../../prepare/prepare.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import { count, counted, percent } from '../../report/words.ts'
import { type CreditsEstimate, estimateCredits } from '../../spending/estimate.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, registerFlag, wholeFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { printIssues } from '../terminal/print-error.ts'
import { prepareContext } from './shared.ts'

const MOST_ROWS = 100_000

/** 0, or the exit code of `check` for a pipeline or list with errors. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const rows = wholeFlag(flags, 'rows', 1, MOST_ROWS)!
  const file = needText(flags, 'pipeline')
  const registers = registerFlag(flags)
  // These are the registers of the sample: the service of the pipeline may have its own.
  const context = { ...prepareContext(flags, io), register: null, isOffline: true }
  const { plan, issues, input, release } = await prepare(file, context)
  release()
  if (plan === null || input === null) {
    const { exitCode } = errorOfIssues(issues)
    if (isOn(flags, 'json')) io.out(safeJson({ schema: 'fettle/estimate/v1', file, ok: false, exitCode, issues, estimate: null }))
    else io.err(printIssues(issues, null))
    return exitCode
  }
  if (input.kind !== 'file')
    throw usageError(`the sample is taken from a file, and the input is ${input.shown}`, 'Pass --input with a file of the list.')
  const estimate = await estimateCredits(plan, { env: io.env, cwd: io.cwd, rows, registers })
  if (isOn(flags, 'json'))
    io.out(safeJson({ schema: 'fettle/estimate/v1', file, name: plan.name, ok: true, exitCode: EXIT.ok, issues, estimate }))
  else {
    if (issues.length > 0) io.err(printIssues(issues, null))
    for (const line of formatEstimate(plan, estimate)) io.text(escapeTerminal(line))
  }
  return EXIT.ok
}

function formatEstimate(plan: Plan, { list, sample, matched, review, credits, registers }: CreditsEstimate): string[] {
  const isWhole = sample.rows >= list
  const of = registers.map(
    ({ name, companies, snapshotDate }) => `${name} (${counted(companies, 'company', 'companies')}, ${snapshotDate})`,
  )
  const share = (interval: CreditsEstimate['matched']): string =>
    `${percent(interval.share)}${isWhole ? '' : `, with 95 % certainty ${percent(interval.low)} to ${percent(interval.high)}`}`
  return [
    `${plan.name}  (${plan.file})`,
    `  sample    ${isWhole ? `all ${counted(list, 'row')}` : `${count(sample.rows)} of ${counted(list, 'row')}`}, against ${of.join(', ')}`,
    `  matched   ${share(matched)}`,
    `  review    ${share(review)}`,
    `  credits   ${creditsText(plan, credits, isWhole)}`,
    `  rests on  these registers and this sample: a service with other companies finds more or fewer of them`,
  ]
}

function creditsText({ service }: Plan, credits: CreditsEstimate['credits'], isWhole: boolean): string {
  if (credits === null) return 'none: the pipeline enriches nothing'
  const { likely, low, high, budget } = credits
  const range = isWhole ? '' : `, with 95 % certainty ${count(low)} to ${count(high)}`
  const limit =
    budget === null ? '' : budget >= high ? `; budget.credits ${budget} allows it` : `; may exceed budget.credits ${budget}`
  const free = service.kind === 'embedded' ? '; the embedded service is free of charge' : ''
  return `about ${count(likely)} (one per row found)${range}${limit}${free}`
}
