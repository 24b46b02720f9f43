/** Lines of a decisions file, or of a table of a review, about the rows of a key. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError, type Issue } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { csvText } from '../../formats/text-formats.ts'
import { AS_FOUND, inspect } from '../../input/table/inspect.ts'
import { readRows } from '../../input/table/records.ts'
import type { InputFacts } from '../../pipeline/model/types.ts'

export interface RowTable {
  readonly path: string
  readonly facts: InputFacts
  readonly fingerprintAt: number
  readonly keyAt: number
}

/** Null for a file that is not there or has no rows. Throws FETTLE_DECISIONS for one that is no such table. */
export async function openRowTable(path: string, cwd: string): Promise<RowTable | null> {
  const place = resolve(cwd, path)
  if (!existsSync(place)) return null
  const { facts, issues } = await inspect({ ...AS_FOUND, path: place }, { root: cwd })
  const error = issues.find(({ severity, code }: Issue) => severity === 'error' && code !== 'FETTLE_INPUT_EMPTY')
  if (error !== undefined) throw new FettleError('FETTLE_DECISIONS', error.message, { at: error.at })
  if (facts === null || facts.rows === 0) return null
  const header = (facts.header ?? []).map(name => name.trim().toLowerCase())
  const fingerprintAt = header.indexOf('fingerprint')
  if (fingerprintAt === -1)
    throw new FettleError('FETTLE_DECISIONS', `${path} has no column fingerprint, so its rows are not known`)
  return { path: place, facts, fingerprintAt, keyAt: header.indexOf('key') }
}

/** Fingerprints of the lines that name the key. */
export async function fingerprintsOfKey({ facts, fingerprintAt, keyAt }: RowTable, key: string): Promise<string[]> {
  const found = new Set<string>()
  if (keyAt !== -1) for await (const row of readRows(facts)) if (row[keyAt] === key) found.add(row[fingerprintAt] ?? '')
  return [...found].filter(one => one !== '')
}

/** The number of lines about the rows; with `remove` the file is written without them. Throws FETTLE_DECISIONS for a file that is no CSV, FETTLE_OUTPUT_WRITE. */
export async function forgetInTable(
  { path, facts, fingerprintAt, keyAt }: RowTable,
  { key, fingerprints }: { readonly key: string; readonly fingerprints: ReadonlySet<string> },
  remove: boolean,
): Promise<number> {
  const kept: string[][] = []
  let gone = 0
  for await (const row of readRows(facts))
    if (fingerprints.has(row[fingerprintAt] ?? '') || (keyAt !== -1 && row[keyAt] === key)) gone++
    else kept.push(row)
  if (gone === 0) return 0
  if (facts.packed != null || !/\.(csv|tsv|txt)$/i.test(path) || facts.encoding !== 'utf-8')
    throw new FettleError(
      'FETTLE_DECISIONS',
      `${path} has ${counted(gone, 'line')} about the key, and is not a CSV file in UTF-8`,
      {
        hint: 'Remove these lines yourself, or save the file as CSV in UTF-8; then run the same command again.',
      },
    )
  if (!remove) return gone
  const header = facts.header ?? []
  const style = { delimiter: facts.delimiter, lineEnd: facts.lineEnd === 'crlf' ? '\r\n' : '\n', columns: header.length }
  const mark = facts.bom ? '\ufeff' : ''
  await writeAtomic(path, mark + csvText([header, ...kept], style), { isShared: true })
  return gone
}
