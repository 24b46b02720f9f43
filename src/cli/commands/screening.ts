/** `fettle screening`: imports, lists, shows and removes the lists that AML searches read. */
import { basename, extname, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { findScreeningDir } from '../../prepare/registers.ts'
import { escapeTerminal } from '../../report/index.ts'
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
} from '../../service/screening/index.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { runStore, type Store, storedName } from './store.ts'

function describe(info: ListInfo): readonly string[] {
  const datasets = Object.entries(info.datasets)
    .sort((a, b) => b[1] - a[1])
    .map(([code, count]) => `${code} ${count}`)
  return [
    `${info.name}: ${info.entries} entries, ${info.individuals} of them persons (${datasets.join(', ')})`,
    `  source    ${info.source} (${info.kind}), ${counted(info.bytes, 'byte')}, sha256 ${info.sha256}`,
    `  imported  ${info.importedAt}, file of ${info.snapshotDate}`,
    ...(info.skipped === 0 ? [] : [`  skipped   ${counted(info.skipped, 'row')}`]),
  ]
}

function codesIn(flags: Flags): ListingCode[] {
  const words = listFlag(flags, 'datasets').flatMap(text => text.split(','))
  return words.map(word => {
    const code = readCode(word)
    if (code !== null) return code
    throw usageError(`--datasets ${word}: not a dataset code`, `The codes are SAN, PEP, SOE, ${LISTING_CODES.join(', ')}.`)
  })
}

async function importOne(flags: Flags, dir: string, io: Io): Promise<ListInfo> {
  const word = needText(flags, 'kind-or-name')
  const kind = LIST_KINDS.find(name => name === word)
  if (kind === undefined) throw usageError(`cannot import "${word}": kinds are ${LIST_KINDS.join(', ')}`)
  const file = resolve(io.cwd, needText(flags, 'file'))
  const name = textFlag(flags, 'name') ?? storedName(basename(file, extname(file)))
  const codes = codesIn(flags)
  if (kind === 'uk' && codes.length > 0) throw usageError('--datasets: the UK list contains sanctions only')
  let printedAt = performance.now()
  const onProgress = (entries: number): void => {
    if (isOn(flags, 'quiet') || performance.now() - printedAt < (io.isTerminal ? 200 : 30_000)) return
    printedAt = performance.now()
    if (io.isTerminal) io.draw(`\r\x1b[2Kread ${entries} entries`)
    else io.err(`read ${entries} entries`)
  }
  const info = await importList({ kind, file, name, dir, codes, now: new Date(), force: isOn(flags, 'force'), onProgress })
  if (io.isTerminal && !isOn(flags, 'quiet')) io.draw('\r\x1b[2K')
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

export const run = (flags: Flags, io: Io): Promise<number> => runStore(LISTS, flags, io)
