/** Breaks long lines at spaces, so that a terminal cuts no word. */
import stringWidth from 'fast-string-width'

/** Lines of at most `columns`. A command at the end of a line stays whole where it fits, and so does a word that is longer. */
export const wrapLines = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap(line => (stringWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n')

function wrapLine(line: string, columns: number): string[] {
  const longest = Math.max(...line.split(' ').map(word => stringWidth(word)))
  const start = findStart(line, Math.min(columns / 2, columns - longest))
  const text = line.slice(start)
  const found = / (fettle [a-z]+[^:]*)$/.exec(text)
  const command = found?.[1]
  const indent = ' '.repeat(stringWidth(line.slice(0, start)))
  const isWhole = command !== undefined && stringWidth(indent + command) <= columns
  const words = [
    ...text.slice(0, found?.index).split(' '),
    ...(command === undefined ? [] : isWhole ? [command] : command.split(' ')),
  ]
  const lines: string[] = []
  let last = line.slice(0, start) + words[0]
  for (const word of words.slice(1)) {
    if (stringWidth(last) + 1 + stringWidth(word) <= columns) last += ` ${word}`
    else {
      lines.push(last.trimEnd())
      last = indent + word
    }
  }
  return [...lines, last.trimEnd()]
}

/** Where the text of a line starts: after its indent, and after words in separate columns, at most `most` columns wide. */
function findStart(line: string, most: number): number {
  for (let start = 0; ; ) {
    const gap = start === 0 && line.startsWith(' ') ? 0 : line.indexOf('  ', start)
    let end = gap
    while (line[end] === ' ') end++
    if (gap === -1 || stringWidth(line.slice(0, end)) > most) return start
    start = end
  }
}
