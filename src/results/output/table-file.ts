/** A table for people as a file of its own: CSV as spreadsheets like it, or a workbook; whole or not at all. It knows no rows. */

import { openSink } from '../../files/atomic-file.ts'
import { openFormat } from '../../formats/writers.ts'

/** Writes a table. Throws FETTLE_OUTPUT_WRITE, FETTLE_OUTPUT_LIMIT. */
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
