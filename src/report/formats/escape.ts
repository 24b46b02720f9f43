/** Escapes foreign text (headers, cells, names, messages), one function per format. Removes what a format cannot express. */

/**
 * Terminal sequences: CSI, OSC and similar up to their end, then remaining escapes. The body of an OSC contains no
 * character that can start a sequence, so that the search stays linear.
 */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\r\n]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g
const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]+/g
const CONTROLS = /[\x00-\x1f\x7f-\x9f]/g
/** Marks that reorder the text around them: a name must not reverse a sentence. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const HALVES = /\p{Surrogate}/gu
/** U+FFFE and U+FFFF are not characters; XML forbids them. */
const NONCHARACTERS = /[\ufffe\uffff]/g

const codePoint = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Text as one line of visible characters: terminal sequences and control characters removed, bidi marks shown as `⟦U+202E⟧`. */
export const plain = (text: string): string =>
  text
    .replace(SEQUENCES, '')
    .replace(BREAKS, ' ')
    .replace(CONTROLS, '')
    .replace(NONCHARACTERS, '')
    .replace(HALVES, '\ufffd')
    .replace(BIDI, char => `⟦${codePoint(char)}⟧`)

/** At most `limit` characters of the plain text, with an ellipsis if cut. Escapes before it cuts: half a sequence is not recognised. */
export function clip(text: string, limit: number): string {
  const line = plain(text)
  if (line.length <= limit) return line
  const chars = [...line.slice(0, (limit + 1) * 2)]
  return chars.length <= limit ? line : `${chars.slice(0, limit - 1).join('')}…`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Log commands that CI runners execute anywhere in a line: `##vso[`, `##[`, `##teamcity[`. */
const LOG_COMMAND = /##(?=\w*\[)/g

/** For HTML, in text and in quoted attributes. A report may be printed to a CI log, so log commands are broken up. */
export const escapeHtml = (text: string): string =>
  plain(text)
    .replace(/[&<>"']/g, char => ENTITIES[char] ?? '')
    .replace(LOG_COMMAND, '#&#35;')

/** For XML 1.0, in text and in quoted attributes. `>` is escaped too, so that `]]>` cannot occur. */
export const escapeXml = (text: string): string => escapeHtml(text)

/**
 * For Markdown, inside a sentence, never at the start of a line. An empty comment breaks up what GitHub would
 * turn into a link or a mention: it reads text after escapes are removed, so a backslash has no effect.
 */
export const escapeMarkdown = (text: string): string =>
  plain(text)
    .replace(/[\\`*_{}[\]~$]/g, '\\$&')
    .replace(/[&<>]/g, char => ENTITIES[char] ?? '')
    .replace(/@|#|:\/\/|www(?=\.)/gi, '$&<!-- -->')

/**
 * A code span for Markdown; its fence is longer than any run of backticks inside. Code spans have no escapes, so a space breaks up
 * log commands, and a backslash before a bar: together they would end the cell of a table.
 */
export function markdownCode(text: string): string {
  const line = escapeTerminal(text).replace(/\\(?=\|)/g, '$& ')
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && line.trim() !== '' ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}

/** For a table cell: a bar would end it, also in a code span. */
export const markdownCell = (markdown: string): string => markdown.replaceAll('|', '\\|')

/**
 * For a terminal and a CI log. Removes control characters and breaks up log commands, since runners execute
 * `::set-output` at the start of a line and `##vso[` or `##[` anywhere in it.
 */
export const escapeTerminal = (text: string): string =>
  plain(text)
    // Everywhere in the text, since it may later be wrapped at any space.
    .replace(/(^|\s)(::+)/g, (_, before: string, colons: string) => before + [...colons].join(' '))
    .replace(LOG_COMMAND, '# #')

export const escapeLines = (text: string): string => text.split('\n').map(escapeTerminal).join('\n')

/** For the text of a GitHub workflow command: line ends, the escape character, and other log commands. */
export const escapeCommand = (text: string): string =>
  text
    .replace(LOG_COMMAND, '# #')
    .replace(/[%\r\n]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

export const escapeCommandProperty = (text: string): string => escapeCommand(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

export const escapeLabel = (text: string): string => plain(text).replace(/[\\"]/g, '\\$&')

/**
 * JSON that is safe in a terminal and a CI log and still the same value: everything JSON lets through unescaped although
 * terminals, browsers or log runners act on it is written as `\uXXXX`.
 */
export const safeJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|(?<=#)#/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
