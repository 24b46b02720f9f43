/** Converts offsets of a text to lines and columns. */

/** Line and column, both from 1; columns count UTF-16 units, as editors do. */
export interface Spot {
  readonly line: number
  readonly column: number
}

/** Turns offsets of `text` into lines and columns; CR, LF and CRLF each end a line. */
export function lineFinder(text: string): (offset: number) => Spot {
  const starts = [0]
  for (const end of text.matchAll(/\r\n|\r|\n/g)) starts.push(end.index + end[0].length)
  return offset => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - starts[low]! + 1 }
  }
}
