/** `fettle init`: a pipeline file for a list nobody has described; what is not certain is asked, or left out, never guessed. */
import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Decisions,
  draftOf,
  draftYaml,
  type InspectedColumns,
  isInside,
  type Proposal,
  packageInfo,
  proposeFor,
  type Reading,
  writeAtomic,
} from '../../../app/light.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import type { Flags } from '../../command.ts'
import { isOn, textFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { type Prompt, withPrompt } from '../../terminal/prompt.ts'
import { decisionsOf, inputKeys, inspectInput, proposalTable, readingOf, refuseUncertain, refuseUnknown } from './proposal.ts'
import { workflowFor } from './workflows.ts'

/** Where the JSON Schema lies in this package, and in a project that depends on it. */
const SCHEMA = fileURLToPath(new URL('../../../../schema/pipeline.v1.json', import.meta.url))
const INSTALLED = 'node_modules/fettle/schema/pipeline.v1.json'

/** Proposes, asks where somebody is there to answer, writes, and offers the check. */
export const run = (flags: Flags, io: Io): Promise<number> =>
  withPrompt(io, async ask => initialise(flags, io, isOn(flags, 'yes') ? null : ask))

async function initialise(flags: Flags, io: Io, ask: Prompt | null): Promise<number> {
  const reading = readingOf(flags)
  const looked = await inspectInput(reading, io)
  const proposal = await settle(looked, decisionsOf(flags, looked), io, ask)
  if (proposal === null) return EXIT.ok
  refuseUncertain('init', reading, proposal, flags)
  if (ask === null && !isOn(flags, 'yes'))
    throw new FettleError('FETTLE_USAGE', 'init asks whether this is right, and nobody is there to answer', {
      hint: 'Pass --yes to take it as it stands, and --map mapping=HEADER for what is not right.',
    })
  const written = await write(proposal, looked, reading, { flags, io, ask })
  if (written === null) return EXIT.ok
  return offerCheck(written, flags, io, ask)
}

/** Shows the proposal until a person takes it; null when they stop. */
async function settle(looked: InspectedColumns, decided: Decisions, io: Io, ask: Prompt | null): Promise<Proposal | null> {
  const decisions = new Map(decided)
  for (;;) {
    const proposal = await proposeFor(looked, decisions)
    io.err(proposalTable(looked, proposal))
    if (ask === null) return proposal
    const answer = await ask('Right? Enter takes it; "3 town" makes column 3 the town, "3 -" leaves it out, q stops: ')
    if (answer === null || /^q(uit)?$/i.test(answer)) return null
    if (answer === '') return proposal
    try {
      decide(answer, proposal, decisions)
    } catch (error) {
      if (!FettleError.is(error)) throw error
      io.err(escapeTerminal(error.message))
    }
  }
}

/** Takes `3 town` or `3 -` into the decisions. */
function decide(answer: string, { columns }: Proposal, decisions: Map<string, number | null>): void {
  const refuse = (why: string): FettleError => new FettleError('FETTLE_USAGE', why)
  const [, number = '', target = ''] = /^#?(\d+)\s+(\S+)$/.exec(answer) ?? []
  const found = columns[Number(number) - 1]
  if (target === '' || found === undefined)
    throw refuse(`${answer}: expected the number of a column and a mapping, such as 3 town`)
  const { index } = found.column
  for (const [mapping, at] of decisions) if (at === index) decisions.delete(mapping)
  if (target !== '-') {
    refuseUnknown(target, refuse)
    decisions.set(target, index)
  } else if (found.target !== null) decisions.set(found.target, null)
}

interface At {
  readonly flags: Flags
  readonly io: Io
  readonly ask: Prompt | null
}

/** Writes the pipeline and, when asked for, the workflow; gives the path of the pipeline, null when it went to stdout or nowhere. */
async function write(proposal: Proposal, looked: InspectedColumns, reading: Reading, at: At): Promise<string | null> {
  const { flags, io } = at
  const isWorkbook = looked.facts.packed?.as === 'xlsx'
  const named = (rest: string): string => `out/${name}${rest}.${isWorkbook ? 'xlsx' : 'csv'}`
  const options = { facts: looked.facts, reading: inputKeys(reading), output: 'out/list.csv' }
  const { name } = draftOf(proposal, options)
  const to = textFlag(flags, 'to') ?? `${name}.yml`
  const places = {
    path: named(''),
    ...(isWorkbook ? { format: 'xlsx' as const } : {}),
    unmatched: named('-unmatched'),
    review: named('-review'),
  }
  const { name: tool, version } = packageInfo()
  const text = draftYaml(
    proposal,
    { ...options, output: places },
    { schema: schemaFor(to, io.cwd), by: `${tool} init ${version}` },
  )
  if (to === '-') {
    io.out(text)
    return null
  }
  if (!/\.ya?ml$/i.test(to)) throw new FettleError('FETTLE_USAGE', `--to ${to}: a pipeline file ends in .yml or .yaml`)
  if (!(await place(to, text, at))) return null
  const ci = textFlag(flags, 'ci')
  if (ci === 'github' || ci === 'gitlab') {
    const {
      path,
      text: workflow,
      notes,
    } = workflowFor(ci, { name, pipeline: to, hasOwn: existsSync(join(io.cwd, '.gitlab-ci.yml')) })
    if (await place(path, workflow, at)) for (const note of notes) io.err(`  ${note}`)
  }
  return to
}

/** Writes a file; one that is there is replaced only when somebody says so. False when they do not. */
async function place(path: string, text: string, { flags, io, ask }: At): Promise<boolean> {
  const whole = resolve(io.cwd, path)
  const isThere = existsSync(whole)
  if (isThere && !isOn(flags, 'force')) {
    if (ask === null)
      throw new FettleError('FETTLE_USAGE', `${path} is there: it is not replaced`, {
        hint:
          path === textFlag(flags, 'to') || path.endsWith('.yml')
            ? 'Pass --force to replace it, or --to OTHER.yml.'
            : 'Pass --force to replace it.',
      })
    const answer = await ask(escapeTerminal(`${path} is there. Replace it? [y/N] `))
    if (!/^y(es)?$/i.test(answer ?? '')) {
      io.err(escapeTerminal(`${path} is left as it was`))
      return false
    }
  }
  await writeAtomic(whole, text)
  io.err(escapeTerminal(`${isThere ? 'replaced' : 'wrote'} ${path}`))
  return true
}

/** The schema as an editor finds it from the file: in the project when it is there, else where `npm install fettle` puts it. */
function schemaFor(to: string, cwd: string): string {
  const folder = resolve(cwd, to === '-' ? '.' : to, to === '-' ? '.' : '..')
  const schema = isInside(cwd, SCHEMA) ? SCHEMA : join(cwd, INSTALLED)
  return relative(folder, schema).replaceAll('\\', '/')
}

async function offerCheck(pipeline: string, flags: Flags, io: Io, ask: Prompt | null): Promise<number> {
  const answer = ask === null ? 'y' : await ask(`Check it now? [Y/n] `)
  if (/^n/i.test(answer ?? 'n')) {
    io.err(escapeTerminal(`next: fettle check ${pipeline}`))
    return EXIT.ok
  }
  const check = await import('../check/run.ts')
  const code = await check.run({ ...flags, pipeline: [pipeline] }, io)
  if (code === EXIT.ok) io.err(escapeTerminal(`next: fettle run ${pipeline}`))
  return code
}
