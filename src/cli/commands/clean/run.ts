/** `fettle clean`: a list in, the same list with what was found out, and no configuration: what `init` would write, carried out. */
import { existsSync } from 'node:fs'
import { basename, relative, resolve, sep } from 'node:path'
import { goesOn, NO_OVERRIDES, type Prepared, prepareValue, resolveService } from '../../../app/index.ts'
import { draftOf, type InspectedColumns, proposeFor } from '../../../app/light.ts'
import { FettleError } from '../../../errors.ts'
import { formatOfName, type OutputFormat } from '../../../formats/index.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, textFlag, wholeFlag } from '../../options/read.ts'
import { CallReporters } from '../../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../../result/conflicts.ts'
import { checkResultFile, type Ending } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'
import { decisionsOf, inputKeys, inspectInput, proposalTable, readingOf, refuseUncertain } from '../init/proposal.ts'
import { reportEndings, runPipeline } from '../run/run.ts'
import { checkFlags } from '../shared.ts'

/** Looks, proposes, and carries out what is certain enough; refuses, saying what to do, when too little is. */
export async function run(flags: Flags, io: Io): Promise<number> {
  checkFlags(flags)
  const reading = readingOf(flags)
  const looked = await inspectInput(reading, io)
  const proposal = await proposeFor(looked, decisionsOf(flags, looked))
  if (!isOn(flags, 'quiet')) io.err(proposalTable(looked, proposal))
  refuseUncertain('clean', reading, proposal, flags)
  const output = outputOf(flags, looked, io)
  const draft = draftOf(proposal, { facts: looked.facts, reading: inputKeys(reading), output, prefix: 'clean-' })
  const service = textFlag(flags, 'service')
  // Looking costs nothing where nobody else is served.
  const isOwn = resolveService({ env: io.env, service }, { service: null }).kind === 'embedded'
  const prepared = await prepareValue(isOwn ? { ...draft, poll: { every: '500ms' } } : draft, {
    ...NO_OVERRIDES,
    env: io.env,
    cwd: io.cwd,
    runsDir: needText(flags, 'runs-dir'),
    service,
    limit: wholeFlag(flags, 'limit', 1, 1_000_000_000),
  })
  const reporters = await CallReporters.create(flags, io)
  try {
    if (prepared.plan !== null)
      await refuseConflicts([{ file: reading.path, plan: prepared.plan }], ownFiles(flags, reporters), io.cwd)
    refuseReplacing(output.path, prepared, flags, io)
    reporters.enable()
    await checkResultFile(flags, io)
    const ending = await runPipeline({ file: reading.path, prepared }, reporters, flags, io, false)
    sayWhatWasMadeUp(ending, flags, io)
    return await reportEndings([ending], reporters, flags, io)
  } finally {
    prepared.release()
  }
}

/** Nobody should take a made-up register for the world: it is the first thing a new user meets. */
function sayWhatWasMadeUp(ending: Ending, flags: Flags, io: Io): void {
  if (!('result' in ending) || isOn(flags, 'quiet')) return
  const issues = ending.result.report.results.flatMap(one => one.issues)
  for (const one of issues) if (one.code === 'FETTLE_REGISTER_SAMPLE') io.err(escapeTerminal(`${one.message}. ${one.hint ?? ''}`))
}

/** Where the result goes: where it is asked for, else in the working directory under the list's name. */
function outputOf(flags: Flags, { facts }: InspectedColumns, io: Io): { path: string; format: OutputFormat } {
  const asked = textFlag(flags, 'output')
  const suffix = facts.packed?.as === 'xlsx' ? '.xlsx' : '.csv'
  const stem = basename(facts.path).replace(/(\.(csv|tsv|tab|txt|xlsx|gz))+$/i, '')
  const path = asked ?? `${stem}-clean${suffix}`
  if (relative(io.cwd, resolve(io.cwd, path)).split(sep)[0] === '..')
    throw new FettleError('FETTLE_USAGE', `-o ${path} lies outside the working directory, where nothing is written`, {
      hint: 'Go to the folder where it is to lie, and name the list by its path from there.',
    })
  return { path, format: formatOfName(path) ?? 'csv' }
}

/** Only what is asked for by name is replaced, and what the run that this command goes on with wrote before it was killed. */
function refuseReplacing(path: string, { plan, credentials }: Prepared, flags: Flags, io: Io): void {
  if (!existsSync(resolve(io.cwd, path))) return
  const isAsked = textFlag(flags, 'output') !== null
  const isOurs = !isAsked && plan !== null && goesOn(needText(flags, 'runs-dir'), plan, credentials)
  if (!isAsked && !isOurs)
    throw new FettleError('FETTLE_USAGE', `${path} is there: it is not replaced`, {
      hint: `Name it to replace it, or another file: -o ${path}`,
    })
  if (isAsked && !isOn(flags, 'quiet')) io.err(escapeTerminal(`${path} is there, and will be replaced`))
}
