/** Reads flags as values; each problem is a usage error with flag, value and range. */
import type { FettleError } from '../../errors.ts'
import { type Flags, usageError } from '../command.ts'

const bad = (flag: string, value: string, need: string): FettleError => usageError(`--${flag} ${value}: ${need}`)

/** Null if absent. Throws FETTLE_USAGE if empty, or given twice with different values. */
export function textFlag(flags: Flags, name: string): string | null {
  const value = flags[name]
  if (value === undefined || value === null) return null
  const values = [...new Set((Array.isArray(value) ? value : [value]).map(String))]
  if (values.length > 1) throw bad(name, values.join(' and '), 'given twice')
  const [text = ''] = values
  if (text === '') throw bad(name, '""', 'needs a value')
  return text
}

export function needText(flags: Flags, name: string): string {
  const text = textFlag(flags, name)
  if (text === null) throw usageError(`${name} is missing`)
  return text
}

export const isOn = (flags: Flags, name: string): boolean => flags[name] === true

/** A whole number, null if absent. */
export function wholeFlag(flags: Flags, name: string, min: number, max: number): number | null {
  const text = textFlag(flags, name)
  if (text === null) return null
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= min && value <= max)) throw bad(name, text, `expected a whole number from ${min} to ${max}`)
  return value
}

/** A precision, as `.98` or `98%`; null if absent. */
export function shareFlag(flags: Flags, name: string): number | null {
  const text = textFlag(flags, name)
  if (text === null) return null
  const [, number = '', sign] = /^([\d.]+)(%?)$/.exec(text) ?? []
  const value = sign === '%' ? Number(`${number}e-2`) : Number(number || 'none')
  if (!(value > 0.5 && value <= 0.999)) throw bad(name, text, 'expected a share above .5 and up to .999, such as .98 or 98%')
  return value
}

/** `--skip-head` and `--skip-tail`, null where absent. */
export const skipFlags = (flags: Flags): { readonly head: number | null; readonly tail: number | null } => ({
  head: wholeFlag(flags, 'skip-head', 0, 1000),
  tail: wholeFlag(flags, 'skip-tail', 0, 1000),
})

export const listFlag = (flags: Flags, name: string): string[] => {
  const value = flags[name]
  return value === undefined || value === null ? [] : (Array.isArray(value) ? value : [value]).map(String)
}

/** The registers of `--register` and `--sample`; null for neither. */
export function registerFlag(flags: Flags): readonly string[] | null {
  const names = isOn(flags, 'sample') ? ['sample'] : listFlag(flags, 'register').flatMap(text => text.split(','))
  if (names.includes('')) throw bad('register', '""', 'needs the name of a register')
  return names.length === 0 ? null : names
}

/** `--var name=value` as a record. Throws FETTLE_USAGE for one without `=` or a name given twice. */
export function varFlags(flags: Flags): Record<string, string> {
  const vars = new Map<string, string>()
  for (const text of listFlag(flags, 'var')) {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(text) ?? []
    if (name === undefined || value === undefined) throw bad('var', text, 'expected name=value')
    if (vars.has(name) && vars.get(name) !== value) throw bad('var', text, `${name} was given twice`)
    vars.set(name, value)
  }
  return Object.fromEntries(vars)
}

/** The queue of `--queue` and `--queue-name`. Throws FETTLE_USAGE without `--queue`. */
export const readQueue = (flags: Flags): { readonly url: string; readonly name: string } => ({
  url: needText(flags, 'queue'),
  name: textFlag(flags, 'queue-name') ?? 'fettle',
})

/** Whether a day is in the calendar: 30 February is a date to the parser of JavaScript. */
export function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}
