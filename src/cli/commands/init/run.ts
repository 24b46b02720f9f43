/** `fettle init`: proposes a pipeline file for a list. What is uncertain is asked or omitted, never guessed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Env } from '../../../env/environment.ts'
import { readServiceUrl } from '../../../env/environment.ts'
import { packageInfo } from '../../../env/package-info.ts'
import { action, EXIT, FettleError } from '../../../errors.ts'
import { writeAtomic } from '../../../files/atomic-file.ts'
import { isInside } from '../../../files/paths.ts'
import { packageFile } from '../../../package-file.ts'
import { draftOf, draftYaml, isTestFile, isWorkbook, type Proposal } from '../../../pipeline/index.ts'
import { findProject } from '../../../prepare/find-project.ts'
import type { InspectedColumns, Reading } from '../../../prepare/propose.ts'
import { findRegisters, wantedRegisters } from '../../../prepare/registers.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import { DEFAULT_RUNS_DIR, shellCommand } from '../../../shell-command.ts'
import { type Flags, usageError } from '../../command.ts'
import { isOn, textFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { isYes, type Prompt, withPrompt } from '../../terminal/prompt.ts'
import { assertCertain, confirmColumns, inputKeys, inspectInput, readDecisions, readReading } from './proposal.ts'
import { workflowFor } from './workflows.ts'

const SCHEMA = 'schema/pipeline.v1.json'
const PROJECT_SCHEMA = 'schema/project.v1.json'

export const run = (flags: Flags, io: Io): Promise<number> =>
  withPrompt(io, async ask => initialise(flags, io, isOn(flags, 'yes') ? null : ask))

async function initialise(flags: Flags, whole: Io, ask: Prompt | null): Promise<number> {
  // A check reports warnings, and questions need what they are about.
  const io = isOn(flags, 'quiet') && ask === null ? { ...whole, err() {} } : whole
  const { inspected, reading } = await inspectInput(readReading(flags, io.cwd), io)
  const proposal = await confirmColumns(inspected, readDecisions(flags, inspected), io, ask)
  if (proposal === null) return EXIT.ok
  assertCertain('init', reading, proposal, flags)
  const hint = 'Pass --yes to accept the proposal, and --map mapping=HEADER to change it.'
  if (ask === null && !isOn(flags, 'yes')) throw usageError('init asks for confirmation, and this is not a terminal', hint)
  const { registers, missing } = await registersNow(io)
  const written = await write(proposal, inspected, { flags, io, ask, reading, registers })
  if (written === null) return EXIT.ok
  if (missing !== null) {
    const next = `${shellCommand(action('register', 'import', 'csv', 'FILE'))}, ${shellCommand(action('check', written))}`
    whole.err(escapeTerminal(`note: ${missing}, so ${written} is not checked. Import a register, then check it: ${next}`))
    return EXIT.ok
  }
  return offerCheck(written, flags, whole, ask)
}

interface WriteContext {
  readonly flags: Flags
  readonly io: Io
  readonly ask: Prompt | null
  readonly reading: Reading
  /** For the key `register`. */
  readonly registers: readonly string[]
}

/** Writes the pipeline and, with --ci, the workflow; returns the path of the pipeline, null if no file was written. */
async function write(proposal: Proposal, inspected: InspectedColumns, context: WriteContext): Promise<string | null> {
  const { flags, io, registers, reading } = context
  const isExcel = isWorkbook(inspected.facts)
  const named = (rest: string): string => `out/${name}${rest}.${isExcel ? 'xlsx' : 'csv'}`
  const options = { facts: inspected.facts, reading: inputKeys(reading, inspected), output: 'out/list.csv' }
  const { name } = draftOf(proposal, options)
  const to = textFlag(flags, 'output') ?? `${name}.yml`
  const format = isExcel ? { format: 'xlsx' as const } : {}
  const places = { path: named(''), ...format, unmatched: named('-unmatched'), review: named('-review') }
  const { name: tool, version } = packageInfo()
  const origin = { schema: schemaFor(to, io.cwd, SCHEMA), by: `${tool} init ${version}` }
  const text = draftYaml(proposal, { ...options, output: places, registers }, origin)
  if (to === '-') {
    io.out(text)
    return null
  }
  if (!/\.ya?ml$/i.test(to)) throw usageError(`--output ${to}: a pipeline file ends in .yml or .yaml`)
  if (!(await writeConfirmed(to, text, context))) return null
  const ci = textFlag(flags, 'ci')
  if (ci === 'github' || ci === 'gitlab') {
    const workflow = workflowFor(ci, { name, pipeline: to, hasOwn: existsSync(join(io.cwd, '.gitlab-ci.yml')) })
    if (await writeConfirmed(workflow.path, workflow.text, context)) for (const note of workflow.notes) io.err(`  ${note}`)
  }
  await offerProject(to, context)
  return to
}

/** Writes a project file where it is asked for, and proposes one where several pipelines lie in a folder without it. */
async function offerProject(pipeline: string, context: WriteContext): Promise<void> {
  const { flags, io, ask } = context
  const found = findNeighbours(pipeline, io.cwd, io.env)
  if (found === null) {
    if (isOn(flags, 'project')) io.err('note: this folder has a project file already, or is below one; --project wrote none')
    return
  }
  const { path, others, withService } = found
  const what = `${others.length} other ${others.length === 1 ? 'pipeline is' : 'pipelines are'} in this folder`
  let isWanted = isOn(flags, 'project')
  if (!isWanted && others.length > 0) {
    if (ask === null) io.err(`note: ${what}. Pass --project to write fettle.yml: targets and defaults for all of them.`)
    else isWanted = isYes(await ask(`${what}. Write fettle.yml: targets and defaults for all of them? [y/N] `))
  }
  if (!isWanted) return
  const { name, version } = packageInfo()
  const text = projectYaml(schemaFor(pipeline, io.cwd, PROJECT_SCHEMA), `${name} init ${version}`)
  if (!(await writeConfirmed(path, text, context))) return
  io.err('  commands run on the target dev; fettle run --target prod reaches FETTLE_URL')
  if (withService.length > 0)
    io.err(escapeTerminal(`  remove service: from ${withService.join(', ')}: the target decides where a pipeline runs`))
}

/**
 * The registers that a run would use; none for a remote service. `missing`: why there is nothing to match against; null if there is a
 * register, or another fault, which the check reports.
 */
async function registersNow(io: Io): Promise<{ readonly registers: readonly string[]; readonly missing: string | null }> {
  if (readServiceUrl(io.env) !== null) return { registers: [], missing: null }
  try {
    const { registers } = await findRegisters(io.env, wantedRegisters({ env: io.env, register: null }, null))
    return { registers: registers.map(({ name }) => name), missing: null }
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return { registers: [], missing: error.code === 'FETTLE_REGISTER_NONE' ? error.message : null }
  }
}

/** Writes a file; replaces an existing one only with --force or after a confirmation. Returns false if declined. */
async function writeConfirmed(path: string, text: string, { flags, io, ask }: WriteContext): Promise<boolean> {
  const target = resolve(io.cwd, path)
  const exists = existsSync(target)
  if (exists && !isOn(flags, 'force')) {
    const other = path === textFlag(flags, 'output') || path.endsWith('.yml') ? ', or -o OTHER.yml' : ''
    if (ask === null) throw usageError(`${path} exists; refusing to overwrite it`, `Pass --force to replace it${other}.`)
    if (!isYes(await ask(escapeTerminal(`${path} exists. Replace it? [y/N] `)))) {
      io.err(escapeTerminal(`${path} is unchanged`))
      return false
    }
  }
  await writeAtomic(target, text, { isShared: true })
  io.err(escapeTerminal(`${exists ? 'replaced' : 'wrote'} ${path}`))
  return true
}

/**
 * The path of the schema, relative to the pipeline file: of a fettle that is installed in its folder or one above, or of a clone in the
 * working directory. Null without one: the path of a global copy, or of one in a cache, is right on one machine and for a while.
 */
function schemaFor(to: string, cwd: string, schema: string): string | null {
  const folder = resolve(cwd, to === '-' ? '.' : to, to === '-' ? '.' : '..')
  const places = foldersAbove(folder).map(above => join(above, 'node_modules/fettle', schema))
  const own = packageFile(schema)
  if (isInside(cwd, own) && !relative(cwd, own).includes('node_modules')) places.push(own)
  const found = places.find(file => existsSync(file))
  return found === undefined ? null : relative(folder, found).replaceAll('\\', '/')
}

/** The folder itself, then the ones it is in. */
const foldersAbove = (folder: string): string[] =>
  dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))]

async function offerCheck(pipeline: string, flags: Flags, io: Io, ask: Prompt | null): Promise<number> {
  const answer = ask === null ? 'y' : await ask(`Check it now? [Y/n] `)
  if (/^n/i.test(answer ?? 'n')) {
    io.err(escapeTerminal(`next: fettle check ${pipeline}`))
    return EXIT.ok
  }
  const check = await import('../check.ts')
  const runsDir = io.env.FETTLE_RUNS_DIR ?? DEFAULT_RUNS_DIR
  // The output of `init` is the pipeline.
  const code = await check.run({ ...flags, output: undefined, 'runs-dir': runsDir, pipeline: [pipeline] }, io)
  if (code === EXIT.ok && !isOn(flags, 'quiet')) io.err(escapeTerminal(`next: fettle run ${pipeline}`))
  return code
}

/**
 * Where a project file would be, the other pipelines of its folder, and of all of them those with a service, which no target may have as
 * well; null where a project file is there already, or above.
 */
function findNeighbours(pipeline: string, cwd: string, env: Env) {
  const found = findProject(pipeline, cwd, env)
  if (found.folder !== null || found.issues.length > 0) return null
  const folder = dirname(resolve(cwd, pipeline))
  const pipelines = readdirSync(folder)
    .filter(name => /\.ya?ml$/i.test(name) && !name.startsWith('.') && !isTestFile(name))
    .map(name => ({ name, text: readText(join(folder, name)) }))
    .filter(({ text }) => /^name:/m.test(text) && /^mappings:/m.test(text))
  return {
    path: join(dirname(pipeline), 'fettle.yml'),
    others: pipelines.map(({ name }) => name).filter(name => name !== basename(pipeline)),
    withService: pipelines.filter(({ text }) => /^service:/m.test(text)).map(({ name }) => name),
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const projectYaml = (schema: string | null, by: string): string =>
  `${schema === null ? '' : `# yaml-language-server: $schema=${schema}\n`}# Written by ${by}: where the pipelines of this folder run, and what they have in common.
target: dev                       # of commands that name none
targets:
  dev:
    service: embedded
    limit: 500                    # the first rows of each list
  prod:
    service: required             # FETTLE_URL, with FETTLE_USERNAME and FETTLE_PASSWORD
    real: true                    # has to be named: --target prod
defaults:                         # for keys that a pipeline leaves out
  checks: { failed: { fail: "> 0" } }
`
