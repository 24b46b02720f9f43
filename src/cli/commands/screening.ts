/** `fettle screening`: imports, lists, shows and removes the lists that AML searches read, and proves what searches find in them. */
import { stat } from 'node:fs/promises'
import { basename, extname, resolve } from 'node:path'
import { THRESHOLDS } from '../../contract/index.ts'
import { counted } from '../../counted.ts'
import { findDataDir } from '../../env/environment.ts'
import { packageInfo } from '../../env/package-info.ts'
import { action, EXIT, FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { findRegisterDir, findScreeningDir } from '../../prepare/registers.ts'
import { tableSource } from '../../prepare/table-register.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import { type Check, type Kind, parseCheck } from '../../screening-proof/checks.ts'
import { formatVerification, renderVerification } from '../../screening-proof/report.ts'
import { type Innocents, verifyScreening } from '../../screening-proof/verify.ts'
import { readCompanies, registerInfo } from '../../service/registers/index.ts'
import {
  importList,
  LIST_KINDS,
  LISTING_CODES,
  type ListChanges,
  type ListInfo,
  type ListingCode,
  readCode,
  readList,
  readLists,
  removeList,
} from '../../service/screening/index.ts'
import { type Flags, usageError } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { isOn, listFlag, needText, textFlag, wholeFlag } from '../options/read.ts'
import { EXTENSIONS } from '../reporters/registry.ts'
import type { Io } from '../terminal/io.ts'
import { runStore, type Store, storedName } from './store.ts'
import { readTable } from './table-register.ts'

function describe(info: ListInfo): readonly string[] {
  const datasets = Object.entries(info.datasets)
    .sort((a, b) => b[1] - a[1])
    .map(([code, count]) => `${code} ${count}`)
  return [
    `${info.name}: ${info.entries} entries, ${info.individuals} of them persons (${datasets.join(', ')})`,
    `  source    ${info.source} (${info.kind}), ${counted(info.bytes, 'byte')}, sha256 ${info.sha256}`,
    `  imported  ${info.importedAt}, file of ${info.snapshotDate}`,
    ...(info.changes == null ? [] : [`  changes   ${describeChanges(info.changes)}`]),
    ...(info.skipped === 0 ? [] : [`  skipped   ${counted(info.skipped, 'row')}`]),
  ]
}

const describeChanges = ({ added, changed, gone, renamed }: ListChanges): string =>
  `${added} new, ${changed} changed, ${gone} gone${renamed === 0 ? '' : `, ${renamed} under another id`} since the import before`

function codesIn(flags: Flags): ListingCode[] {
  const words = listFlag(flags, 'datasets').flatMap(text => text.split(','))
  return words.map(word => {
    const code = readCode(word)
    if (code !== null) return code
    throw usageError(`--datasets ${word}: not a dataset code`, `The codes are SAN, PEP, SOE, ${LISTING_CODES.join(', ')}.`)
  })
}

/** Draws a line on a terminal; elsewhere prints one every half a minute. */
function showProgress(flags: Flags, io: Io, format: (done: number) => string) {
  let printedAt = performance.now()
  return {
    show(done: number): void {
      if (isOn(flags, 'quiet') || performance.now() - printedAt < (io.isTerminal ? 200 : 30_000)) return
      printedAt = performance.now()
      if (io.isTerminal) io.draw(`\r\x1b[2K${format(done)}`)
      else io.err(format(done))
    },
    end(): void {
      if (io.isTerminal && !isOn(flags, 'quiet')) io.draw('\r\x1b[2K')
    },
  }
}

async function importOne(flags: Flags, dir: string, io: Io): Promise<ListInfo> {
  const word = needText(flags, 'kind-or-name')
  const kind = LIST_KINDS.find(name => name === word)
  if (kind === undefined) throw usageError(`cannot import "${word}": kinds are ${LIST_KINDS.join(', ')}`)
  const file = resolve(io.cwd, needText(flags, 'file'))
  const name = textFlag(flags, 'name') ?? storedName(basename(file, extname(file)))
  const codes = codesIn(flags)
  if ((kind === 'uk' || kind === 'ofac' || kind === 'un') && codes.length > 0)
    throw usageError(`--datasets: a list of kind ${kind} contains sanctions only`)
  const progress = showProgress(flags, io, entries => `read ${entries} entries`)
  const info = await importList({
    kind,
    file,
    name,
    dir,
    codes,
    now: new Date(),
    force: isOn(flags, 'force'),
    onProgress: progress.show,
  })
  progress.end()
  for (const { line, why } of info.skippedRows)
    io.err(escapeTerminal(`skipped ${line === null ? 'a row' : `line ${line}`}: ${why}`))
  if (info.skipped > info.skippedRows.length) io.err(`and ${info.skipped - info.skippedRows.length} more`)
  return info
}

const LISTS: Store<ListInfo> = {
  dirOf: findScreeningDir,
  add: importOne,
  list: readLists,
  read: readList,
  remove: removeList,
  describe,
  empty: { what: 'list', command: 'fettle screening import opensanctions FILE' },
}

/** Flags of `verify` alone. */
const OF_VERIFY = ['fail', 'innocents', 'innocent-persons', 'sample', 'threshold', 'html']

export async function run(flags: Flags, io: Io): Promise<number> {
  if (textFlag(flags, 'action') === 'verify') return verify(flags, io)
  const other = OF_VERIFY.find(name => flags[name] !== undefined)
  if (other !== undefined) throw usageError(`--${other} is an option of fettle screening verify`)
  return runStore(LISTS, flags, io)
}

/** 1 when a check fails. */
async function verify(flags: Flags, io: Io): Promise<number> {
  if (textFlag(flags, 'kind-or-name') !== null)
    throw usageError('verify searches all imported lists', 'Leave out the name; fettle screening remove removes a list.')
  const threshold = wholeFlag(flags, 'threshold', 75, 100) ?? 85
  if (!THRESHOLDS.some(allowed => allowed === threshold))
    throw usageError(`--threshold ${threshold}: thresholds are ${THRESHOLDS.join(', ')}`)
  const sample = wholeFlag(flags, 'sample', 1, 100_000_000) ?? 5000
  const html = textFlag(flags, 'html')
  if (html !== null)
    await assertReplaceableReport(html, {
      ...{ cwd: io.cwd, runsDir: needText(flags, 'runs-dir'), extensions: EXTENSIONS.html, flag: `--html ${html}` },
    })
  const checks = readChecks(flags)
  const dataDir = findDataDir(io.env)
  const dir = findScreeningDir(dataDir)
  if ((await readLists(dir)).length === 0)
    throw new FettleError('FETTLE_SCREENING_UNKNOWN', `there is nothing to verify: no screening list was imported into ${dir}`, {
      ...{ hint: 'Import a screening list.', action: action('screening', 'import', 'opensanctions', 'FILE') },
    })
  const innocents: Innocents[] = []
  for (const [kind, flag] of [
    ['organisations', 'innocents'],
    ['persons', 'innocent-persons'],
  ] as const)
    for (const source of listFlag(flags, flag)) innocents.push(await openInnocents(kind, source, flags, io))
  const progress = showProgress(flags, io, searches => `searched ${searches} names`)
  const proof = await verifyScreening({
    ...{ dir, threshold, sample, innocents, checks, now: new Date(), signal: io.signal, onProgress: progress.show },
  })
  progress.end()
  if (html !== null) await writeAtomic(resolve(io.cwd, html), renderVerification(proof, packageInfo()), { isShared: true })
  if (isOn(flags, 'json')) io.out(safeJson(proof))
  else if (!isOn(flags, 'quiet') || !proof.ok) io.text(formatVerification(proof))
  return proof.ok ? EXIT.ok : EXIT.checks
}

/** A listed name that is not found is wrong at any time. */
const DEFAULT_CHECK = 'recall.unchanged < 100%'

function readChecks(flags: Flags): Check[] {
  const texts = listFlag(flags, 'fail')
  return (texts.length === 0 ? [DEFAULT_CHECK] : texts).map(text => {
    const check = parseCheck(text)
    if ('why' in check) throw usageError(`--fail "${text}": ${check.why}`, check.hint)
    const [what, kind] = check.measure.split('.')
    const isAsked = (flag: string): boolean => listFlag(flags, flag).length > 0
    const needed =
      kind === 'persons' ? ['innocent-persons'] : kind === 'organisations' ? ['innocents'] : ['innocents', 'innocent-persons']
    if (what === 'alerts' && !needed.some(isAsked))
      throw usageError(`--fail "${text}": there are no innocents`, `Pass --${needed.join(' or --')} with a list.`)
    return check
  })
}

/** The names of a list, or of a register of this machine. */
async function openInnocents(kind: Kind, source: string, flags: Flags, io: Io): Promise<Innocents> {
  const isFile = (await stat(resolve(io.cwd, source)).catch(() => null)) !== null
  if (!isFile && kind === 'organisations' && /^[a-z0-9-]{1,40}$/.test(source)) {
    const dir = findRegisterDir(findDataDir(io.env))
    const info = await registerInfo(dir, source)
    const names = async function* () {
      for await (const { name } of readCompanies(dir, info)) yield name
    }
    return { kind, source: `register ${source}`, names: names() }
  }
  const table = await readTable(source, flags, io)
  const rows = async function* () {
    const source = tableSource(table, io.cwd)
    let place = -1
    for await (const { cells } of source.rows(0)) {
      if (place < 0) place = cells.indexOf('name')
      else yield cells[place] ?? ''
    }
  }
  return { kind, source, names: rows() }
}
