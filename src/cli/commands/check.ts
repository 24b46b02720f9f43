/** `fettle check`: reports every problem that `run` would find before it sends anything. Makes no request. */

import { EXIT, errorOfIssues } from '../../errors.ts'
import { whySkipped } from '../../model/list.ts'
import { explainPlan, type InputRef, type Plan, profileLines } from '../../pipeline/index.ts'
import { listIssues } from '../../prepare/kept-list.ts'
import { prepare } from '../../prepare/prepare.ts'
import { escapeLines, escapeTerminal, safeJson } from '../../report/formats/escape.ts'
import { count, counted } from '../../report/words.ts'
import { stdinOf } from '../../staging/staged-input.ts'
import type { Flags } from '../command.ts'
import { isOn, listFlag, needText } from '../options/read.ts'
import { worstExit } from '../result/exit.ts'
import type { Io } from '../terminal/io.ts'
import { printIssues } from '../terminal/print-error.ts'
import { showLongTask } from '../terminal/progress/index.ts'
import { withPipelines } from './pipelines.ts'
import { readOverrides } from './shared.ts'

export async function run(given: Flags, io: Io): Promise<number> {
  const flags = await withPipelines(given, io)
  if (typeof flags === 'number') return flags
  const isQuiet = isOn(flags, 'quiet')
  const codes: number[] = []
  const stdin = stdinOf({ open: io.stdin, keeps: false, signal: io.signal })
  const files = listFlag(flags, 'pipeline')
  for (const file of files) {
    const work = showLongTask(io, isQuiet)
    const context = { env: io.env, cwd: io.cwd, stdin, onProgress: work.bytes, ...readOverrides(flags, io.env) }
    const prepared = await prepare(file, context).finally(work.stop)
    prepared.release()
    const issues = [...prepared.issues, ...listIssues(prepared, needText(flags, 'runs-dir'))]
    // A remote input is not read: there is neither a plan nor an error.
    const code = issues.some(({ severity }) => severity === 'error') ? errorOfIssues(issues).exitCode : EXIT.ok
    codes.push(code)
    const { plan, input } = prepared
    if (isOn(flags, 'json')) {
      io.out(safeJson({ schema: 'fettle/check/v1', file, ok: code === EXIT.ok, exitCode: code, issues, plan }))
      continue
    }
    const shown = issues.filter(({ severity }) => !isQuiet || severity !== 'info')
    if (shown.length > 0) io.err(printIssues(shown, files.length > 1 ? file : null))
    if (plan === null || input === null) {
      if (code === EXIT.ok && !isQuiet) io.text(escapeTerminal(`ok ${file}: the pipeline is valid; its input was not read`))
      continue
    }
    if (isOn(flags, 'explain')) io.text(escapeLines(explainPlan(plan, input)))
    else if (!isQuiet && code === EXIT.ok) io.text(summary(plan, input))
  }
  return worstExit(codes)
}

function summary(plan: Plan, { shown }: InputRef): string {
  const columns = plan.mappings.map(({ mapping, header, index, value }) => {
    const from = value === undefined ? (header ?? `column ${index}`) : JSON.stringify(value)
    return `${from} -> ${mapping}`
  })
  const { encoding, delimiter, packed } = plan.input
  const form = packed === undefined || packed.as === 'gzip' ? `${encoding}, ${JSON.stringify(delimiter)}` : packed.as
  const empty = plan.skipped === undefined ? '' : `, ${count(plan.skipped)} of them ${whySkipped(plan.input)},`
  const ok = `ok ${plan.file}: ${counted(plan.rows, 'row')}${empty} of ${shown} (${form}), ${columns.join(', ')}`
  return [escapeTerminal(ok), ...profileLines(plan).map(line => `  ${escapeTerminal(line)}`)].join('\n')
}
