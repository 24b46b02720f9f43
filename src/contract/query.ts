/** The types of query parameters; every value arrives as text. The service drops blank ones before it reads the others (contract §2.3). */
import { z } from 'zod'
import { written } from './schemas.ts'

const integer = (minimum: number, maximum: number) => ({
  type: 'integer',
  format: maximum < 2 ** 31 ? 'int32' : 'int64',
  minimum,
  maximum,
})

/** A whole number; `893.0` is one, too. */
export const whole = (least: number, most: number) =>
  written(
    z
      .string()
      .regex(/^\d{1,15}(?:\.0{1,9})?$/, 'must be a whole number')
      .transform(Number)
      .pipe(z.number().min(least).max(most)),
    integer(least, most),
  )

const LAST_PAGE = 1_000_000

/** `page` from 1, and `pageSize`; default and maximum of the latter differ by group (contract §2.3, §14). */
export const fromOne = ({ size = 10, most = 1000 } = {}) => ({
  page: whole(1, LAST_PAGE).default(1),
  pageSize: whole(1, most).default(size),
})

/** `page` from 0, and `pageSize`; the default and maximum are documented on one operation and hold for all that begin at 0. */
export const fromZero = { page: whole(0, LAST_PAGE).default(0), pageSize: whole(1, 1000).default(50) }

/** `True` and `TRUE` are what clients in other languages write. */
const TRUTHS = ['true', 'false', 'True', 'False', 'TRUE', 'FALSE'] as const

const boolean = written(
  z.enum(TRUTHS).transform(word => word.toLowerCase() === 'true'),
  { type: 'boolean' },
)

export const truth = boolean.optional()

/** A switch, off unless it is `true`. */
export const off = boolean.default(false)

/** Text that narrows a search. */
export const maybe = (longest: number) => z.string().max(longest).optional()

/** The language of an answer: two letters. */
export const language = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be two letters')
  .optional()

/** One of the words, in any case. */
export const oneOf = <const Words extends readonly string[]>(words: Words) => {
  const read = (text: string, context: z.RefinementCtx): Words[number] | undefined => {
    const found = words.find(word => word.toLowerCase() === text.toLowerCase())
    if (found === undefined) context.addIssue({ code: 'custom', message: `must be one of ${words.join(', ')}` })
    return found
  }
  return written(z.string().max(60).transform(read), { type: 'string', enum: words }).optional()
}

/** Text of 1 to `longest` characters. */
export const text = (longest: number) => z.string().min(1).max(longest)

/** Text without control characters. */
export const PLAIN_TEXT = /^[^\u0000-\u001f\u007f-\u009f]*$/

/** The same, and not blank: one pattern, since several would be an intersection of schemas. */
export const plainName = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(
      /^[^\S\u0000-\u001f\u007f-\u009f]*[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$/,
      'must not be blank or hold control characters',
    )

/** Search words. */
export const words = maybe(200)

/** Two letters, in either case; read as capitals. */
export const letters = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'must be two letters')
  .transform(code => code.toUpperCase())

/** Comma-separated alpha-2 codes; `PLC` means the public companies of all countries. */
export const countryList = written(
  z
    .string()
    .max(2_000)
    .transform(codes => codes.split(',').map(code => code.trim()))
    // Before capitals are made: the capitals of ß are SS.
    .pipe(
      z.array(
        z
          .string()
          .regex(/^(?:[A-Za-z]{2}|PLC)$/i, 'must be two-letter codes separated by commas')
          .transform(code => code.toUpperCase()),
      ),
    ),
  { type: 'string', pattern: '^(?:[A-Za-z]{2}|[Pp][Ll][Cc])(?:,(?:[A-Za-z]{2}|[Pp][Ll][Cc]))*$', maxLength: 2_000 },
)

/** An ISO 8601 date or date-time. */
export const day = written(
  z
    .string()
    .regex(
      /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
      'must be an ISO 8601 date or date-time',
    ),
  { type: 'string', format: 'date-time' },
).optional()
