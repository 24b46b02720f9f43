/** Checks whether a document is complete, by its kind: returns the problem, or null. */

/** Records of a CSV text, header and all; null when it ends inside a record. Quotes come in pairs, whatever the delimiter. */
export function csvRecords(text: string): number | null {
  let records = 0
  let isQuoted = false
  let hasText = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    if (character === '\n' && !isQuoted) {
      records += hasText ? 1 : 0
      hasText = false
    } else if (character !== '\r') hasText = true
  }
  return isQuoted || hasText ? null : records
}

/** Records of JSON lines; null when a line is no JSON or the last one does not end. */
export function jsonLines(text: string): number | null {
  const lines = text.split('\n')
  if (lines.pop() !== '') return null
  return lines.every(line => parses(line)) ? lines.length : null
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Tags of XML that are open at its end or closed in a wrong order. */
export function xmlFault(text: string): string | null {
  const open: string[] = []
  const bare = text.replace(/<!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>/gs, '')
  for (const [, isEnd, name, isEmpty] of bare.matchAll(/<(\/?)([\w:.-]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (isEnd === '/') {
      if (open.pop() !== name) return `</${name}> closes what is not open`
    } else if (isEmpty !== '/') open.push(name ?? '')
  }
  if (open.length > 0) return `<${open.at(-1)}> is never closed`
  return bare.trim() === '' ? 'it is empty' : null
}

/** What is wrong with a document of a run, by the end of its name. Documents of unknown kinds have only to end their last line. */
export function documentFault(name: string, text: string): string | null {
  if (/\.json$/.test(name)) return parses(text) ? null : 'it is not JSON'
  if (/\.jsonl$/.test(name)) return jsonLines(text) === null ? 'it is not JSON lines' : null
  if (/\.xml$/.test(name)) return xmlFault(text)
  if (/\.csv$/.test(name)) return csvRecords(text) === null ? 'it ends inside a record' : null
  if (/\.html?$/.test(name)) return /<\/html>\s*$/.test(text) ? null : 'it ends before </html>'
  return text.endsWith('\n') ? null : 'its last line does not end'
}
