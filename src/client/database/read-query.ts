/**
 * Reads the rows of a query as CSV: the server writes them (COPY), so that memory is constant. Types become text by the rule of
 * docs/data.md. The transaction is read-only.
 */
import { FettleError } from '../../errors.ts'
import { type DatabasePlace, type IsNear, isPassing, quoted, reasonOf, withConnection } from './connect.ts'

export interface QueryRows {
  /** Types of the columns, as `model/column-types.ts` names them. */
  readonly types: readonly string[]
  readonly bytes: AsyncIterable<Uint8Array>
}

interface Read {
  readonly type: string
  /** The text of a column. */
  readonly text: (column: string) => string
}

const plain = (type: string): Read => ({ type, text: column => `${column}::text` })
const DAY = `'YYYY-MM-DD'`
const CLOCK = `'HH24:MI:SS'`
/** Three or six places, none if they are zero. */
const places = (column: string): string => `regexp_replace(to_char(${column}, '.US'), '\\.?(000){1,2}$', '')`
/** Years that the calendar of other programs has; others, and infinity, stay as the server writes them. */
const common = (column: string, text: string): string =>
  `case when ${column} >= '0001-01-01' and ${column} < '10000-01-01' then ${text} else ${column}::text end`
const moment = (column: string): string =>
  `to_char(${column}, ${DAY}) || 'T' || to_char(${column}, ${CLOCK}) || ${places(column)}`

/** By the number of the type in pg_type, which never changes. */
const TYPES: Readonly<Record<number, Read>> = {
  16: { type: 'boolean', text: column => `case ${column} when true then 'true' when false then 'false' end` },
  20: plain('int64'),
  21: plain('int16'),
  23: plain('int32'),
  700: plain('float'),
  701: plain('double'),
  1082: { type: 'date', text: column => common(column, `to_char(${column}, ${DAY})`) },
  1083: {
    type: 'time(us)',
    text: column => {
      const day = `('2000-01-01'::date + ${column})`
      return `case when ${column} < '24:00' then to_char(${day}, ${CLOCK}) || ${places(day)} else ${column}::text end`
    },
  },
  1114: { type: 'timestamp(us)', text: column => common(column, moment(column)) },
  1184: {
    type: 'timestamp(us,utc)',
    text: column => common(column, `${moment(`(${column} at time zone 'UTC')`)} || 'Z'`),
  },
  1700: plain('decimal'),
  2950: plain('uuid'),
}
const NUMERIC = 1700

/** The scale of `numeric(12,2)` is in eleven bits behind a header of four bytes (numeric.c). */
function typeOf({ dataTypeID, dataTypeModifier }: { dataTypeID: number; dataTypeModifier: number }): string {
  const type = TYPES[dataTypeID]?.type ?? 'string'
  if (dataTypeID !== NUMERIC || dataTypeModifier < 4) return type
  const packed = dataTypeModifier - 4
  const scale = ((packed & 0x7ff) ^ 1024) - 1024
  return `decimal(${packed >> 16},${scale})`
}

const HIGH_WATER_MARK = 1024 * 1024

/** Runs `body` with the rows of the query. Throws FETTLE_INPUT_READ, and FETTLE_SETTINGS without the packages. */
export async function withQuery<T>(
  place: DatabasePlace & { readonly sql: string },
  how: { readonly isNear: IsNear; readonly attempts: number; readonly signal?: AbortSignal | undefined },
  body: (rows: QueryRows) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await withConnection(place, how, async ({ client, copyTo }) => {
        await client.query('begin transaction isolation level repeatable read, read only')
        // The line end is for a query that ends in a comment.
        const source = withoutEnd(place.sql)
        const { fields } = await client.query(`select * from (${source}\n) as query limit 0`)
        if (fields.length === 0) throw new Error('the query has no columns')
        const columns = fields.map((_, at) => `c${at + 1}`)
        const texts = fields.map(({ dataTypeID }, at) => (TYPES[dataTypeID] ?? plain('string')).text(columns[at]!))
        // The only cell of a row is never an empty line.
        const shown = texts.length === 1 ? [`coalesce(${texts[0]}, '')`] : texts
        const select = `select ${shown.join(', ')} from (${source}\n) as query(${columns.join(', ')})`
        const force = texts.length === 1 ? ', force_quote *' : ''
        const stream = client.query(
          copyTo(`copy (${select}) to stdout (format csv, encoding 'UTF8'${force})`, { highWaterMark: HIGH_WATER_MARK }),
        )
        async function* bytes(): AsyncGenerator<Uint8Array> {
          yield Buffer.from(`${fields.map(({ name }) => quoted(name)).join(',')}\n`)
          yield* stream as AsyncIterable<Buffer>
        }
        const result = await body({ types: fields.map(typeOf), bytes: bytes() })
        await client.query('commit')
        return result
      })
    } catch (error) {
      how.signal?.throwIfAborted()
      if (FettleError.is(error)) throw error
      if (isPassing(error) && tries < how.attempts) continue
      throw new FettleError('FETTLE_INPUT_READ', `cannot read the query at ${place.shown}: ${reasonOf(error)}`, {
        hint: 'Check input.sql and input.url with psql; the query is read in a read-only transaction.',
      })
    }
  }
}

/** A query without the semicolons and blanks after it. */
function withoutEnd(sql: string): string {
  let end = sql.length
  while (end > 0 && /[\s;]/.test(sql[end - 1]!)) end -= 1
  return sql.slice(0, end)
}
