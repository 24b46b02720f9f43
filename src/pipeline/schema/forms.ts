/** The forms of values that the schema is made of. */
import { z } from 'zod'
import { DURATION, formatDuration, parseDuration, parseThreshold, THRESHOLD } from '../source/durations.ts'

export const text = (error: string, max = 1000) => z.string({ error }).min(1, { error }).max(max, { error })
export const pattern = (error: string, form: RegExp) => z.string({ error }).regex(form, { error })
export const flag = () => z.boolean({ error: 'true or false' })
export const whole = (min: number, max: number) => {
  const error = `a whole number from ${min}${max > 1_000_000 ? '' : ` to ${max}`}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}
export const listOf = <T extends z.ZodType>(item: T, error: string, min = 0, max = 1000) =>
  z.array(item, { error }).min(min, { error }).max(max, { error })
export const map = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, { error: `a map with ${Object.keys(shape).join(', ')}` })

const DURATIONS = ['500ms', '30s', '5m', '2h', '1d', '30d']

export const duration = (minMs: number, maxMs: number) => {
  const fitting = DURATIONS.filter(duration => parseDuration(duration)! >= minMs && parseDuration(duration)! <= maxMs)
  const such = fitting.length === 0 ? '' : `, such as ${fitting.join(', ').replace(/, ([^,]*)$/, ' or $1')}`
  const error = `a duration from ${formatDuration(minMs)} to ${formatDuration(maxMs)}${such}`
  return pattern(error, DURATION)
    .refine(value => (parseDuration(value) ?? 0) >= minMs && (parseDuration(value) ?? 0) <= maxMs, { error })
    .transform(value => parseDuration(value)!)
}
export const threshold = (error: string, shareOnly = false) =>
  pattern(error, THRESHOLD)
    .refine(value => parseThreshold(value) !== null && (!shareOnly || parseThreshold(value)!.unit === 'share'), { error })
    .transform(value => parseThreshold(value)!)

export const orNull = <T extends z.ZodType>(schema: T) => schema.optional().transform(value => value ?? null)
