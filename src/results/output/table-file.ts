/** Writes a table for people: CSV for spreadsheets, or a workbook. */

import { openSink } from '../../files/atomic-file.ts'
import { openFormat } from '../../formats/writers.ts'

/** Replaces the file atomically. Throws FETTLE_OUTPUT_WRITE, FETTLE_OUTPUT_LIMIT. */
export async function writeTable(
  path: string,
  format: 'csv' | 'xlsx',
  names: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const { head, render, end } = openFormat(format === 'csv' ? 'excel' : format, { names, title: 'review', delimiter: ',' })
  const sink = await openSink(path)
  try {
    for (const part of [head, render(rows), end?.() ?? '']) await sink.write(Buffer.from(part))
    await sink.finish()
    await sink.publish()
  } finally {
    await sink.discard()
  }
}
