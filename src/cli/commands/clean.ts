/** `fettle clean`: matches and enriches a list with the pipeline that `init` would write. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Product, TAGS } from '../../contract/index.ts'
import { EXIT, FettleError } from '../../errors.ts'
import { formatOfName, listExtensions } from '../../formats/index.ts'
import { draftOf, isWorkbook, listStem, nameDecisionsFile, type PipelineInput, type Proposal } from '../../pipeline/index.ts'
import type { Prepared } from '../../prepare/prepare.ts'
import { prepareValue } from '../../prepare/prepare.ts'
import { type InspectedColumns, proposeFor } from '../../prepare/propose.ts'
import { NO_OVERRIDES } from '../../prepare/read-pipeline.ts'
import { findRegisters, nameTable, wantedRegisters } from '../../prepare/registers.ts'
import { resolveService } from '../../prepare/resolve-service.ts'
import { escapeTerminal } from '../../report/formats/escape.ts'
import { counted } from '../../report/words.ts'
import { goesOn } from '../../runs/run-queries.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, needText, registerFlag, shareFlag, textFlag, wholeFlag } from '../options/read.ts'
import { CallReporters } from '../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../result/conflicts.ts'
import { checkResultFile } from '../result/result.ts'
import { type Io, withTrust } from '../terminal/io.ts'
import { confirmCost, OpenPrompt, type Prompt } from '../terminal/prompt.ts'
import {
  assertCertain,
  confirmColumns,
  inputKeys,
  inspectInput,
  namingFlags,
  proposalTable,
  readDecisions,
  readReading,
} from './init/proposal.ts'
import { dryRun, reportEndings, runPipeline } from './run/run.ts'
import { checkFlags } from './shared.ts'

/** Throws FETTLE_INPUT_COLUMNS if too few columns are certain. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const prompt = new OpenPrompt(io)
  try {
    return await cleanList(flags, io, prompt)
  } finally {
    prompt.close()
  }
}

async function cleanList(flags: Flags, io: Io, prompt: OpenPrompt): Promise<number> {
  checkFlags(flags)
  const matching = { precision: shareFlag(flags, 'precision') ?? undefined }
  const { inspected, reading } = await inspectInput(readReading(flags, io.cwd), io)
  const proposal = await settleColumns(inspected, flags, io, prompt.ask)
  if (proposal === null) return EXIT.ok
  assertCertain('clean', reading, proposal, flags)
  const service = textFlag(flags, 'service')
  const isOwn = resolveService({ env: io.env, service }, { service: null }).kind === 'embedded'
  const register = (await importOther(flags, io)) ?? registerFlag(flags)
  const enrich = chooseTags(flags)
  const columns = chooseColumns(flags, inspected, enrich, isOwn && (await hasSeveralRegisters(register, io)))
  const output = { ...chooseOutput(flags, inspected), columns }
  const draft = draftOf(proposal, { facts: inspected.facts, reading: inputKeys(reading, inspected), output, prefix: 'clean-' })
  const decisions = decisionsFile(draft.name, flags, io)
  const budget = wholeFlag(flags, 'budget', 0, 1_000_000_000)
  const limits = budget === null ? {} : { budget: { credits: budget } }
  // The embedded service has no other clients: frequent polling costs nothing.
  const polling = isOwn ? { poll: { every: '500ms' } } : {}
  const pipeline = { ...draft, ...decisions, ...limits, ...polling, matching, enrich }
  const overrides = {
    ...NO_OVERRIDES,
    // The command line names everything in this pipeline.
    env: withTrust(io.env, true),
    cwd: io.cwd,
    runsDir: needText(flags, 'runs-dir'),
    service,
    output: textFlag(flags, 'output'),
    register,
    limit: wholeFlag(flags, 'limit', 1, 1_000_000_000),
    // Decisions that the command line names may be anywhere.
    outputRoots: listFlag(flags, 'decisions').map(path => dirname(resolve(io.cwd, path))),
  }
  const prepared = withFlags(await prepareValue(pipeline, overrides, `fettle clean ${reading.path}`))
  const reporters = await CallReporters.create(flags, io)
  const { plan } = prepared
  try {
    if (plan !== null) await refuseConflicts([{ file: reading.path, plan }], ownFiles(flags, reporters), io.cwd)
    if (isOn(flags, 'dry-run')) return dryRun([{ file: reading.path, prepared }], io)
    assertReplaceable(output.path, prepared, flags, io)
    if (!(await agreesToCost(prepared, flags, io, prompt.ask))) return EXIT.ok
    // The run does not read from the terminal.
    prompt.close()
    reporters.enable()
    await checkResultFile(flags, io)
    const ending = await runPipeline({ file: reading.path, prepared, command: 'clean' }, { reporters, flags, io })
    return await reportEndings([ending], { reporters, flags, io })
  } finally {
    prepared.release()
  }
}

/** Asks about columns that are not certain at a terminal; else names the flag. Null if the user quits. */
async function settleColumns(inspected: InspectedColumns, flags: Flags, io: Io, ask: Prompt | null): Promise<Proposal | null> {
  const decided = readDecisions(flags, inspected)
  const proposal = await proposeFor(inspected, decided)
  const isUncertain = proposal.columns.some(({ status, target }) => status === 'unsure' && target !== 'key')
  if (isUncertain && !isOn(flags, 'quiet') && !isOn(flags, 'yes') && ask !== null)
    return confirmColumns(inspected, decided, io, ask)
  if (!isOn(flags, 'quiet')) io.err(proposalTable(inspected, proposal, io))
  return proposal
}

/** Imports the list of `--against` as a register for runs that name it, kept by its content; null without the flag. */
async function importOther(flags: Flags, io: Io): Promise<readonly string[] | null> {
  const path = textFlag(flags, 'against')
  if (path === null) return null
  const { printSkipped, readTable } = await import('./table-register.ts')
  const { importTable, tableSource } = await import('../../prepare/table-register.ts')
  const table = await readTable(path, { map: flags['against-map'] }, io).catch((error: unknown) => {
    if (!FettleError.is(error)) throw error
    const hint = `${error.hint ?? ''} To read ${path} with flags, import it: fettle register import csv ${path}, and pass --register NAME.`
    throw new FettleError(error.code, error.message, { hint: hint.trim(), at: error.at, cause: error })
  })
  if (!isOn(flags, 'quiet')) io.err(proposalTable(table.inspected, table.proposal, io))
  const { facts } = table.inspected
  const { sheet, columns } = tableSource(table, io.cwd)
  const name = nameTable(path, [facts.sha256, sheet, columns])
  const info = await importTable(path, table, name, io)
  printSkipped(io, info.skipped, info.skippedRows, ` of ${path}`)
  return [name]
}

/** The hints name flags: a caller of `clean` has no pipeline file. */
function withFlags(prepared: Prepared): Prepared {
  const { plan } = prepared
  return {
    ...prepared,
    issues: prepared.issues.map(namingFlags),
    plan: plan && Object.freeze({ ...plan, issues: plan.issues.map(namingFlags) }),
  }
}

/** The decisions of an earlier review of this list are found by its name. */
function decisionsFile(name: string, flags: Flags, io: Io): Pick<PipelineInput, 'review'> {
  const requested = textFlag(flags, 'decisions')
  const path = requested ?? nameDecisionsFile(name)
  return requested !== null || existsSync(resolve(io.cwd, path)) ? { review: { decisions: path } } : {}
}

/** An id is ambiguous without its register if several take part. The preparation reports registers that cannot be found. */
async function hasSeveralRegisters(register: readonly string[] | null, io: Io): Promise<boolean> {
  const wanted = wantedRegisters({ env: io.env, register }, null)
  const found = await findRegisters(io.env, wanted).catch(() => null)
  return found !== null && found.registers.length > 1
}

/** The requested output, else a file in the working directory named after the list. */
function chooseOutput(flags: Flags, { facts }: InspectedColumns) {
  const requested = textFlag(flags, 'output')
  const path = requested ?? `${listStem(facts.path)}-clean${isWorkbook(facts) ? '.xlsx' : '.csv'}`
  const named = formatOfName(path)
  if (named === null)
    throw usageError(`-o ${path} has no extension of an output format`, `Name it ${listExtensions().join(', ')}.`)
  // A spreadsheet opens the file next: with the mark it reads all letters, and no cell is a formula.
  const format = named === 'csv' ? 'excel' : named
  return { path, format }
}

const COMPANY = ['general.connectId', 'general.companyName']

interface Enrichment {
  readonly product: Product
  /** Absent: the tags among the columns. */
  readonly tags?: readonly string[]
}

/** `--enrich` as a product, or as tags and the smallest product that has them all; the pipeline refuses tags that no product has. */
function chooseTags(flags: Flags): Enrichment {
  const text = textFlag(flags, 'enrich') ?? 'basic'
  const products = Object.keys(TAGS) as Product[]
  const named = products.find(product => product === text)
  if (named !== undefined) return { product: named }
  const tags = [...new Set([...COMPANY, ...text.split(',').map(tag => tag.trim())])]
  return { product: products.find(product => tags.every(tag => TAGS[product].includes(tag))) ?? 'standard', tags }
}

/** The columns of `--columns`, else the list's, the tags of `--enrich`, and what is known of the match. */
function chooseColumns(flags: Flags, { facts }: InspectedColumns, { product, tags }: Enrichment, hasRegisters: boolean) {
  const requested = listFlag(flags, 'columns').flatMap(text => splitColumns(text, facts.header ?? []))
  if (requested.length > 0) return requested
  const found = tags ?? (textFlag(flags, 'enrich') === null ? COMPANY : [...new Set([...COMPANY, ...TAGS[product]])])
  if (flags['match-columns'] === false) return ['*', ...found]
  const registers = hasRegisters ? ['match.register', 'match.otherIds'] : []
  return ['*', ...found, 'match.outcome', 'match.score', 'match.why', ...registers, 'match.candidateId', 'match.candidateName']
}

/** `Ref,Firma=supplier,*`. A header may have a comma or an equals sign, if the list has it. */
function splitColumns(text: string, headers: readonly string[]): (string | { from: string; as: string })[] {
  const columns: (string | { from: string; as: string })[] = []
  for (let rest = text; rest !== ''; ) {
    const header = headers.filter(name => name !== '' && /^(?:=|,|$)/.test(rest.slice(name.length)) && rest.startsWith(name))
    const [from = /^[^,=]*/.exec(rest)![0]] = header.sort((a, b) => b.length - a.length)
    const [whole, as] = /^(?:=([^,]*))?,?/.exec(rest.slice(from.length))!
    if (from.trim() === '' || as === '')
      throw usageError(`--columns ${text}: a column has no name`, 'Pass for example Ref,Firma=supplier,*.')
    columns.push(as === undefined ? from.trim() : { from: from.trim(), as })
    rest = rest.slice(from.length + whole.length)
  }
  return columns
}

/** Replaces a file only if it is named, or if it belongs to the unfinished run that this command resumes. */
function assertReplaceable(path: string, { plan, credentials }: Prepared, flags: Flags, io: Io): void {
  if (!existsSync(resolve(io.cwd, path))) return
  const isRequested = textFlag(flags, 'output') !== null
  const isOurs = !isRequested && plan !== null && goesOn(needText(flags, 'runs-dir'), plan, credentials)
  if (!isRequested && !isOurs)
    throw usageError(`${path} exists; refusing to overwrite it`, `Pass -o ${path} to replace it, or another file.`)
  if (isRequested && !isOn(flags, 'quiet')) io.err(escapeTerminal(`${path} exists and will be replaced`))
}

/** Nothing is sent to a service that may charge before a person has agreed to the cost, or a flag has; a run that continues was agreed to. */
async function agreesToCost({ plan, credentials }: Prepared, flags: Flags, io: Io, ask: Prompt | null): Promise<boolean> {
  if (plan === null || plan.service.kind === 'embedded' || plan.enrich === null) return true
  const most = Math.min(plan.sent, plan.budget.credits ?? plan.sent)
  const cost = `${plan.service.url} gets ${counted(plan.sent, 'row')} and may charge up to ${counted(most, 'credit')}`
  const isAgreed = isOn(flags, 'yes') || plan.budget.credits !== null || goesOn(needText(flags, 'runs-dir'), plan, credentials)
  const hint = 'Pass --budget N to limit the credits, or --yes.'
  return confirmCost(io, ask, { cost, isAgreed, isQuiet: isOn(flags, 'quiet'), hint })
}
