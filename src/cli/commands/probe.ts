/** `fettle probe`: asks before it sends, and prints what came back and what is read of it. */
import { exitOfProbe, type ProbeResult, prepareProbe, runProbe } from '../../doctor/probe.ts'
import { EXIT, errorOfIssues } from '../../errors.ts'
import type { Plan } from '../../pipeline/index.ts'
import { prepare } from '../../prepare/prepare.ts'
import { NO_OVERRIDES } from '../../prepare/read-pipeline.ts'
import { escapeTerminal } from '../../report/index.ts'
import { counted } from '../../report/words.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, textFlag, varFlags, wholeFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { confirmCost, withPrompt } from '../terminal/prompt.ts'
import { showRun } from './shared.ts'

/** 0 where the file was read rightly, 1 where tags are missing, else the exit code of the run. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const place = { env: io.env, cwd: io.cwd, runsDir, signal: io.signal }
  const name = textFlag(flags, 'name')
  const wanted = name === null ? { row: wholeFlag(flags, 'row', 1, 1_000_000_000) ?? 1 } : { name }
  const whole = await prepare(needText(flags, 'pipeline'), {
    ...NO_OVERRIDES,
    ...place,
    target: textFlag(flags, 'target'),
    service: textFlag(flags, 'service'),
    input: textFlag(flags, 'input'),
    vars: varFlags(flags),
  })
  whole.release()
  if (whole.plan === null || whole.input === null) throw errorOfIssues(whole.issues)
  const { kind, shown } = whole.input
  if (kind !== 'file')
    throw usageError(`the row is taken from a file, and the input is ${shown}`, 'Pass --input with a file of the list.')
  const probe = await prepareProbe(whole.plan, wanted, place)
  try {
    if (!(await agreesToCost(probe.plan, flags, io))) return EXIT.ok
    const progress = showRun(flags, io)
    const result = await runProbe(probe, { ...place, credentials: whole.credentials }, progress).finally(() => progress.stop())
    for (const line of formatResult(result)) io.text(escapeTerminal(line))
    return exitOfProbe(result)
  } finally {
    probe.release()
  }
}

async function agreesToCost({ service, enrich }: Plan, flags: Flags, io: Io): Promise<boolean> {
  if (service.kind === 'embedded') return true
  const cost = `${service.url} gets 1 row and may charge ${enrich === null ? 'for it' : 'up to 1 credit'}`
  const question = { cost, isAgreed: isOn(flags, 'yes'), isQuiet: isOn(flags, 'quiet'), hint: 'Pass --yes.' }
  return withPrompt(io, ask => confirmCost(io, ask, question))
}

function describeFile({ form, header }: NonNullable<ProbeResult['file']>): string {
  const columns = counted(header.length, 'column')
  const { encoding, evidence, packing, delimiter } = form
  const shown = evidence === null ? encoding : `${encoding} (by its ${evidence})`
  return `${columns} separated by ${JSON.stringify(delimiter)}, ${shown}, ${packing === null ? 'not packed' : `packed by ${packing}`}`
}

/** The line of the pipeline that reads them. */
function headersFor(missing: NonNullable<ProbeResult['file']>['missing']): string[] {
  const tags = new Map(missing.map(({ tag, nearest }) => [nearest, tag]))
  const named = [...tags].flatMap(([nearest, tag]) => (nearest === null ? [] : [`${tag}: ${JSON.stringify(nearest)}`]))
  return named.length === 0 ? [] : [`If these headers are the missing tags: enrich: { headers: { ${named.join(', ')} } }`]
}

function formatResult({ state, file }: ProbeResult): string[] {
  const [job] = state.jobs
  const found = Object.entries(state.outcomes ?? {}).flatMap(([name, rows]) => (rows === 1 ? [name] : []))
  const lines = [
    `statuses  ${job?.history.map(({ status }) => status).join(', ') || 'none'}`,
    `counts    ${job?.summary == null ? 'none: the service has no jobSummary' : JSON.stringify(job.summary)}`,
    `outcome   ${found.join(', ') || 'unknown'}`,
  ]
  if (state.error !== null)
    return [...lines, `error     ${state.error.code}: ${state.error.message}`, `          ${state.error.hint}`]
  if (file === null) {
    const why =
      state.plan.enrich === null ? 'none: the pipeline enriches nothing' : 'removed before this probe continued; probe again'
    return [...lines, `file      ${why}`]
  }
  const width = Math.max(7, ...file.columns.map(({ tag }) => tag?.length ?? 0))
  const columns = file.columns.map(
    ({ tag, header, kind, cell }) =>
      `  ${(tag ?? '–').padEnd(width)}  from ${JSON.stringify(header)}, ${kind}${cell === '' ? '' : `: ${cell.slice(0, 60)}`}`,
  )
  const missing = file.missing.map(
    ({ tag, nearest }) =>
      `  ${tag.padEnd(width)}  missing${nearest === null ? '' : `; the header most like it is ${JSON.stringify(nearest)}`}`,
  )
  return [
    ...lines,
    `file      ${describeFile(file)}`,
    `header    ${file.header.map(name => JSON.stringify(name)).join(', ')}`,
    'read',
    ...columns,
    ...missing,
    ...headersFor(file.missing),
    file.missing.length === 0
      ? 'Every tag was found.'
      : `${counted(file.missing.length, 'tag')} missing: the outputs would have empty columns.`,
    ...(found.includes('unmatched')
      ? ['The row has no company: probe a row whose company the service surely has, to see its cells.']
      : []),
  ]
}
