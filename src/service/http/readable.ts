/** Converts a record of the wire to titled sections of label and value: nested keys become words, lists are numbered. */
import type { PdfSection } from './pdf.ts'

/** `companyRegistrationNumber` becomes `Company registration number`. */
const labelOf = (key: string): string => {
  const words = key.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

function rowsOf(value: unknown, key: string): [string, string][] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return [[key, value.join('\n')]]
    return value.flatMap((element, at) => rowsOf(element, `${key} ${at + 1}`.trim()))
  }
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([name, inner]) =>
      rowsOf(inner, key === '' ? labelOf(name) : `${key}: ${labelOf(name).toLowerCase()}`),
    )
  }
  // The midnight of a day is how the wire writes the day.
  return [[key, String(value).replace(/^(\d{4}-\d{2}-\d{2})T00:00:00Z$/, '$1')]]
}

/** A section for every non-empty part of the record. */
export const sectionsOf = (record: object): PdfSection[] =>
  Object.entries(record).flatMap(([key, value]) => {
    const rows = rowsOf(value, isPlain(value) ? labelOf(key) : '')
    return rows.length === 0 ? [] : [{ heading: labelOf(key), rows }]
  })
