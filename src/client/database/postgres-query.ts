/**
 * Reads the rows of a query of PostgreSQL: the server writes them (COPY), so that memory is constant. The transaction is read-only, and
 * of one snapshot.
 */
import { type Asking, type DatabasePlace, placeIn, type QueryRows, quoted, Refusal, withoutEnd } from './database.ts'
import { withConnection } from './postgres-connect.ts'

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

/** As the server sees the query before it is read. */
const BEFORE = 'select * from ('

/** The error with its place in the query. */
function located(error: unknown, sql: string): unknown {
  const { position } = error as { readonly position?: string }
  const at = Number(position) - 1 - BEFORE.length
  if (position !== undefined && at >= 0 && at <= sql.length) (error as Error).message += ` at ${placeIn(sql, at)}`
  return error
}

export const readQuery = <T>(
  place: DatabasePlace & { readonly sql: string },
  how: Asking,
  body: (rows: QueryRows) => Promise<T>,
): Promise<T> =>
  withConnection(place, how, async ({ client, copyTo }) => {
    await client.query('begin transaction isolation level repeatable read, read only')
    // The line end is for a query that ends in a comment.
    const source = withoutEnd(place.sql)
    // By the extended protocol, in which one text is one statement: nothing in the query can end the transaction.
    const described = { text: `${BEFORE}${source}\n) as query limit 0`, queryMode: 'extended' }
    const { fields } = await client.query<never>(described).catch(error => {
      throw located(error, source)
    })
    if (fields.length === 0) throw new Refusal('it has no columns')
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
