/** A record of the wire as titled key/value text for people: nested keys become words, lists are numbered. Knows no record. */
import type { PdfSection } from './pdf.ts'

/** `companyRegistrationNumber` as `Company registration number`. */
const inWords = (key: string): string => {
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
      rowsOf(inner, key === '' ? inWords(name) : `${key}: ${inWords(name).toLowerCase()}`),
    )
  }
  return [[key, String(value)]]
}

/** A section for every part of the record that holds something. */
export const sectionsOf = (record: object): PdfSection[] =>
  Object.entries(record).flatMap(([key, value]) => {
    const rows = rowsOf(value, isPlain(value) ? inWords(key) : '')
    return rows.length === 0 ? [] : [{ heading: inWords(key), rows }]
  })
