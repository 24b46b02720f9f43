/** Where the table lies in a file of UTF-8 that is not packed, in bytes: behind a mark, skipped lines and a `sep=` line. */

import { readHead } from '../../files/file-chunks.ts'
import { openInput } from '../../files/open-input.ts'
import type { InputFacts } from '../../pipeline/model/types.ts'
import { byteOrderMark } from '../text/encoding.ts'
import { sepLine } from './dialect.ts'
import type { Span } from './table-range.ts'
import { changed } from './verify-unchanged.ts'

/** The span of the table, its mark not counted, and how long the mark is. Throws FETTLE_INPUT_CHANGED when the file is gone. */
export async function tablePlace(input: InputFacts, root: string | undefined): Promise<Span & { readonly mark: number }> {
  const opened = await openInput(input.path, root)
  if ('code' in opened) throw changed(input, opened.message)
  try {
    const mark = byteOrderMark(await readHead(opened.handle, 3))?.bytes ?? 0
    const { from: start, to } = input.skipped ?? { from: 0, to: Number.POSITIVE_INFINITY }
    const { buffer, bytesRead } = await opened.handle.read(Buffer.alloc(16), 0, 16, mark + start)
    const from = mark + start + (sepLine(buffer.subarray(0, bytesRead))?.bytes ?? 0)
    return { mark, from, to: Math.min(input.bytes, mark + to) }
  } finally {
    await opened.handle.close()
  }
}

/** Whether a place in the text of the table is a place in the file. */
export const isSeekable = ({ encoding, packed }: InputFacts): boolean => encoding === 'utf-8' && packed === undefined
