/** `fettle register`: imports, lists, shows and removes company registers. */
import { basename, resolve } from 'node:path'
import { dataDirOf, registerDirOf } from '../../../app/index.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { escapeTerminal, safeJson } from '../../../report/index.ts'
import {
  type ChangeSetInfo,
  importRegister,
  isKind,
  KINDS,
  listRegisters,
  type RegisterInfo,
  registerInfo,
  removeRegister,
} from '../../../service/registers/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, textFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { showLongTask } from '../../terminal/progress/long-task.ts'

const nameFrom = (file: string): string =>
  basename(file)
    .replace(/(?:\.(?:csv|gz|zip|txt))+$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)

const describeChanges = ({ file, from, added, removed, changed }: ChangeSetInfo): string =>
  `  changes   ${added} added, ${removed} removed, ${changed} changed since the snapshot of ${from.snapshotDate}: ${file}`

function describe(info: RegisterInfo): string {
  const countries = Object.entries(info.countries)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 8)
    .map(([country, count]) => `${country || '(none)'} ${count}`)
  const lines = [
    `${info.name}: ${info.companies} companies (${countries.join(', ')})`,
    `  source    ${info.source} (${info.kind}), ${info.bytes} bytes, sha256 ${info.sha256}`,
    `  imported  ${info.importedAt}${info.snapshotDate === null ? '' : `, snapshot of ${info.snapshotDate}`}`,
    ...(info.changes ?? []).slice(-1).map(describeChanges),
    ...(info.skipped === 0 ? [] : [`  skipped   ${info.skipped} rows`]),
    ...(info.officers === undefined ? [] : [`  officers  ${info.officers.officers} from ${info.officers.source}`]),
    ...(info.officers === undefined || info.officers.skipped === 0 ? [] : [`  skipped   ${info.officers.skipped} rows of them`]),
  ]
  return lines.map(escapeTerminal).join('\n')
}

async function importInto(flags: Flags, dir: string, io: Io): Promise<number> {
  const kind = needText(flags, 'kind-or-name')
  if (!isKind(kind)) {
    const kinds = Object.entries(KINDS).map(([name, { summary }]) => `${name}: ${summary}`)
    throw new FettleError('FETTLE_USAGE', `cannot import "${kind}": fettle imports ${Object.keys(KINDS).join(', ')}`, {
      hint: `${kinds.join('; ')}.`,
    })
  }
  const file = resolve(io.cwd, needText(flags, 'file'))
  const name = textFlag(flags, 'name') ?? nameFrom(file)
  const work = showLongTask(io)
  const onProgress = (rows: number): void => work.rows(basename(file), rows)
  const people = textFlag(flags, 'officers')
  const officers = people === null ? {} : { officers: resolve(io.cwd, people) }
  const force = isOn(flags, 'force')
  const info = await importRegister({ file, kind, ...officers, name, dir, now: new Date(), force, onProgress }).finally(work.stop)
  const printSkipped = (skipped: number, rows: RegisterInfo['skippedRows'], of = ''): void => {
    for (const row of rows) io.err(escapeTerminal(`skipped line ${row.line}${of}: ${row.why}`))
    if (skipped > rows.length) io.err(`and ${skipped - rows.length} more${of}`)
  }
  printSkipped(info.skipped, info.skippedRows)
  if (info.officers !== undefined) printSkipped(info.officers.skipped, info.officers.skippedRows, ` of ${info.officers.source}`)
  io.out(isOn(flags, 'json') ? safeJson(info) : describe(info))
  return EXIT.ok
}

export async function run(flags: Flags, io: Io): Promise<number> {
  const dir = registerDirOf(dataDirOf(io.env))
  const action = needText(flags, 'action')
  if (action === 'import') return importInto(flags, dir, io)
  if (action === 'list') {
    const infos = await listRegisters(dir)
    if (isOn(flags, 'json')) io.out(safeJson(infos))
    else if (infos.length === 0) io.err(escapeTerminal(`no register in ${dir}: fettle register import csv FILE`))
    else io.out(infos.map(describe).join('\n'))
    return EXIT.ok
  }
  const name = needText(flags, 'kind-or-name')
  if (action === 'info') {
    const info = await registerInfo(dir, name)
    io.out(isOn(flags, 'json') ? safeJson(info) : describe(info))
    return EXIT.ok
  }
  await removeRegister(dir, name)
  io.err(`removed ${escapeTerminal(name)}`)
  return EXIT.ok
}
