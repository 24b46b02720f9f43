/** Where a named encoding fails: found by a second, slower reading that is only made once it is known that there is a place. */
import { type Issue, issue } from '../../errors.ts'
import { makeDecoder } from './encoding.ts'

/** The issue for the first byte that `encoding` cannot hold; it lies in the piece that begins at `pieceStart`. */
export async function undecodable(
  path: string,
  pieces: AsyncIterable<Buffer>,
  encoding: string,
  pieceStart: number,
): Promise<Issue> {
  const decoder = makeDecoder(encoding)
  let offset = 0
  let line = 1
  const read = (text: string): void => {
    line += text.match(/\r\n|\n|\r/g)?.length ?? 0
  }
  try {
    for await (const piece of pieces) {
      if (offset < pieceStart) {
        read(decoder.decode(piece))
        offset += piece.length
        continue
      }
      for (let i = 0; i < piece.length; i++, offset++) read(decoder.decode(piece.subarray(i, i + 1)))
    }
    decoder.end()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  return issue(
    'FETTLE_INPUT_ENCODING',
    `${path} is not ${encoding}: byte at offset ${offset}, line ${line} has no meaning in it`,
    {
      at: { file: path, line, column: null },
      hint: 'Name another encoding.',
    },
  )
}
