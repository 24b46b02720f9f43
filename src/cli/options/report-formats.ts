/** Formats of report files, with the file name extensions of each: an existing file of another extension is never replaced. */
const JSON_LINES = ['.jsonl', '.ndjson', '.json', '.log']

export const EXTENSIONS = {
  text: ['.txt', '.log'],
  json: ['.json'],
  html: ['.html', '.htm'],
  markdown: ['.md', '.markdown'],
  junit: ['.xml'],
  csv: ['.csv'],
  xlsx: ['.xlsx'],
  openmetrics: ['.txt', '.prom', '.metrics', '.om'],
  'json-events': JSON_LINES,
  openlineage: JSON_LINES,
} as const satisfies Readonly<Record<string, readonly string[]>>
