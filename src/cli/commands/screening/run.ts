/** `fettle screening`: imports, lists, shows and removes the lists that AML searches read. */
import { basename, extname, resolve } from 'node:path'
import { dataDirOf, screeningDirOf } from '../../../app/index.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { escapeTerminal, safeJson } from '../../../report/index.ts'
import {
  importList,
  LIST_KINDS,
  LISTING_CODES,
  type ListInfo,
  type ListingCode,
  readCode,
  readList,
  readLists,
  removeList,
} from '../../../service/screening/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, listFlag, needText, textFlag } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'

const nameFrom = (file: string): string =>
  basename(file, extname(file))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)

function describe(info: ListInfo): string {
  const datasets = Object.entries(info.datasets)
    .sort((a, b) => b[1] - a[1])
    .map(([code, count]) => `${code} ${count}`)
  const lines = [
    `${info.name}: ${info.entries} entries, ${info.individuals} of them persons (${datasets.join(', ')})`,
    `  source    ${info.source} (${info.kind}), ${info.bytes} bytes, sha256 ${info.sha256}`,
    `  imported  ${info.importedAt}, file of ${info.snapshotDate}`,
    ...(info.skipped === 0 ? [] : [`  skipped   ${info.skipped} rows`]),
  ]
  return lines.map(escapeTerminal).join('\n')
}

function codesIn(flags: Flags): ListingCode[] {
  const words = listFlag(flags, 'datasets').flatMap(text => text.split(','))
  return words.map(word => {
    const code = readCode(word)
    if (code !== null) return code
    throw new FettleError('FETTLE_USAGE', `--datasets ${word}: not a dataset code`, {
      hint: `The codes are SAN, PEP, SOE, ${LISTING_CODES.join(', ')}.`,
    })
  })
}

async function importOne(flags: Flags, dir: string, io: Io): Promise<number> {
  const word = needText(flags, 'kind-or-name')
  const kind = LIST_KINDS.find(one => one === word)
  if (kind === undefined) {
    throw new FettleError('FETTLE_USAGE', `cannot import "${word}": kinds are ${LIST_KINDS.join(', ')}`)
  }
  const file = resolve(io.cwd, needText(flags, 'file'))
  const name = textFlag(flags, 'name') ?? nameFrom(file)
  const codes = codesIn(flags)
  if (kind === 'uk' && codes.length > 0) throw new FettleError('FETTLE_USAGE', '--datasets: the UK list contains sanctions only')
  let printedAt = performance.now()
  const onProgress = (entries: number): void => {
    if (performance.now() - printedAt < (io.isTerminal ? 200 : 30_000)) return
    printedAt = performance.now()
    if (io.isTerminal) io.draw(`\r\x1b[2Kread ${entries} entries`)
    else io.err(`read ${entries} entries`)
  }
  const info = await importList({ kind, file, name, dir, codes, now: new Date(), force: isOn(flags, 'force'), onProgress })
  if (io.isTerminal) io.draw('\r\x1b[2K')
  for (const { line, why } of info.skippedRows)
    io.err(escapeTerminal(`skipped ${line === null ? 'a row' : `line ${line}`}: ${why}`))
  if (info.skipped > info.skippedRows.length) io.err(`and ${info.skipped - info.skippedRows.length} more`)
  io.out(isOn(flags, 'json') ? safeJson(info) : describe(info))
  return EXIT.ok
}

export async function run(flags: Flags, io: Io): Promise<number> {
  const dir = screeningDirOf(dataDirOf(io.env))
  const action = needText(flags, 'action')
  if (action === 'import') return importOne(flags, dir, io)
  if (action === 'list') {
    const infos = await readLists(dir)
    if (isOn(flags, 'json')) io.out(safeJson(infos))
    else if (infos.length === 0) io.err(escapeTerminal(`no list in ${dir}: fettle screening import opensanctions FILE`))
    else io.out(infos.map(describe).join('\n'))
    return EXIT.ok
  }
  const name = needText(flags, 'kind-or-name')
  if (action === 'info') {
    const info = await readList(dir, name)
    io.out(isOn(flags, 'json') ? safeJson(info) : describe(info))
    return EXIT.ok
  }
  await removeList(dir, name)
  io.err(`removed ${escapeTerminal(name)}`)
  return EXIT.ok
}
