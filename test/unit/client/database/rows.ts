/** Rows on their way into a table, as fettle writes them into a file first. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TableColumn } from '../../../../src/client/database/database.ts'
import { atFileEnd } from '../../../support/file-end.ts'

export const COLUMNS: readonly TableColumn[] = [
  { name: 'id', type: 'int32' },
  { name: 'match.score', type: 'double' },
  { name: 'active', type: 'boolean' },
  { name: 'note', type: 'string' },
]
export const NEW = [
  ['1', '0.75', 'Y', 'one\ttab'],
  ['2', '', 'N', '"quoted"\nline'],
  ['3', '1', '', ''],
]

export const textOf = (rows: readonly (readonly string[])[]): string =>
  [COLUMNS.map(({ name }) => name), ...rows]
    .map(row => row.map(cell => (/["\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t'))
    .join('\n')

let folder: string | null = null

/** A file with the text, until the end of the test file. */
export function fileWith(text: string): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'fettle-rows-'))
    folder = made
    atFileEnd(() => {
      folder = null
      rmSync(made, { recursive: true, force: true })
    })
  }
  const path = join(folder, `${Buffer.byteLength(text)}-${text.length}.tsv`)
  writeFileSync(path, text)
  return path
}
