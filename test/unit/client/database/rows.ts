/** Rows on their way into a table, as fettle writes them into a file first. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { TableColumn, TableMode } from '../../../../src/client/database/database.ts'
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

/** NEW as a table has it. */
export const WRITTEN = [
  { id: 1, 'match.score': 0.75, active: true, note: 'one\ttab' },
  { id: 2, 'match.score': null, active: false, note: '"quoted"\nline' },
  { id: 3, 'match.score': 1, active: null, note: null },
]

interface Table {
  readonly drop: () => Promise<unknown>
  readonly write: (mode: TableMode, run: { readonly runId: string; readonly rows?: typeof NEW }) => Promise<void>
  readonly content: () => Promise<Record<string, unknown>[]>
}

/** In each mode the rows of a run are written once; other rows of it replace them, but for appended ones. */
export async function expectOnce({ drop, write, content }: Table): Promise<void> {
  for (const mode of ['replace', 'upsert', 'append'] as const) {
    await drop()
    await write(mode, { runId: mode })
    await write(mode, { runId: mode })
    expect(await content()).toEqual(WRITTEN)
    const changed = write(mode, { runId: mode, rows: [...NEW, ['4', '', '', 'decided']] })
    if (mode === 'append') await expect(changed).rejects.toThrow('the run append has appended its rows, and they are others now')
    else await changed
    expect(await content()).toHaveLength(mode === 'append' ? 3 : 4)
  }
}
