/** Reads the rows of a query of a DuckDB file: the database writes each as a line of CSV. */
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api'
import { type Asking, type DatabasePlace, placeIn, type QueryRows, quoted, Refusal, withoutEnd } from './database.ts'
import { fileOf, isThere, withConnection } from './duckdb-connect.ts'

interface Read {
  readonly type: string
  /** The text of a column as CSV; null where it is. */
  readonly text: (column: string) => string
}

const quotedText = (column: string): string => `'"' || replace(${column}, '"', '""') || '"'`
/** Quoted where a reader of CSV needs it. */
const csvText = (column: string): string => {
  const text = `${column}::varchar`
  const needsQuotes = [`','`, `'"'`, 'chr(10)', 'chr(13)'].map(one => `contains(${text}, ${one})`).join(' or ')
  return `if(${text} = '' or ${needsQuotes}, ${quotedText(text)}, ${text})`
}
const STRING: Read = { type: 'string', text: csvText }
const plain = (type: string): Read => ({ type, text: column => `${column}::varchar` })
/** DuckDB writes `1.0`, `nan` and `inf`. */
const float = (type: string): Read => ({
  type,
  text: column =>
    `case when isnan(${column}) then 'NaN' when isinf(${column}) then if(${column} > 0, 'Infinity', '-Infinity') else regexp_replace(${column}::varchar, '\\.0$', '') end`,
})
/** Three, six or nine places, none if they are zero. */
const places = (column: string, digits: string): string =>
  `regexp_replace(strftime(${column}, '.${digits}'), '\\.?(000){1,3}$', '')`
/** Years that the calendar of other programs has; others, and infinity, stay as the database writes them. */
const moment = (type: string, of: (column: string) => string, end = '', digits = '%f'): Read => ({
  type,
  text: column =>
    `case when year(${of(column)}) between 1 and 9999 then strftime(${of(column)}, '%Y-%m-%dT%H:%M:%S') || ${places(of(column), digits)} || '${end}' else ${column}::varchar end`,
})

const TYPES: Readonly<Record<string, Read>> = {
  BOOLEAN: plain('boolean'),
  TINYINT: plain('int8'),
  SMALLINT: plain('int16'),
  INTEGER: plain('int32'),
  BIGINT: plain('int64'),
  UTINYINT: plain('uint8'),
  USMALLINT: plain('uint16'),
  UINTEGER: plain('uint32'),
  UBIGINT: plain('uint64'),
  HUGEINT: plain('decimal'),
  UHUGEINT: plain('decimal'),
  FLOAT: float('float'),
  DOUBLE: float('double'),
  DATE: plain('date'),
  TIME: {
    type: 'time(us)',
    text: column => {
      const day = `(date '2000-01-01' + ${column})`
      return `case when ${column} < '24:00:00' then strftime(${day}, '%H:%M:%S') || ${places(day, '%f')} else ${column}::varchar end`
    },
  },
  TIMESTAMP_S: moment('timestamp(ms)', column => column),
  TIMESTAMP_MS: moment('timestamp(ms)', column => column),
  TIMESTAMP: moment('timestamp(us)', column => column),
  TIMESTAMP_NS: moment('timestamp(ns)', column => column, '', '%n'),
  'TIMESTAMP WITH TIME ZONE': moment('timestamp(us,utc)', column => `(${column} at time zone 'UTC')`, 'Z'),
  UUID: plain('uuid'),
}

function readOf(type: DuckDBType): Read {
  const name = String(type)
  const [, args] = /^DECIMAL(\(\d+,\d+\))$/.exec(name) ?? []
  return args === undefined ? (TYPES[name] ?? STRING) : plain(`decimal${args}`)
}

/** The statement, or an error with the place where the query is wrong. */
async function prepared(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  try {
    return await connection.prepare(sql)
  } catch (error) {
    const { message } = error as Error
    const [, line, text = '', blanks = ''] = /\n\nLINE (\d+): (.*)\n( *)\^/.exec(message) ?? []
    // A long line is shown in part, behind three dots.
    if (line !== undefined && !text.startsWith('...')) {
      const before =
        sql
          .split('\n')
          .slice(0, Number(line) - 1)
          .join('\n').length + (line === '1' ? 0 : 1)
      const column = blanks.length - `LINE ${line}: `.length
      ;(error as Error).message = message.replace('\n\nLINE ', ` at ${placeIn(sql, before + column)}\n\nLINE `)
    }
    throw error
  }
}

const BATCH = 256 * 1024

async function* linesOf(connection: DuckDBConnection, sql: string): AsyncGenerator<Uint8Array> {
  const result = await connection.stream(sql)
  let lines = ''
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    lines += chunk.getColumnValues(0).join('')
    if (lines.length < BATCH) continue
    yield Buffer.from(lines)
    lines = ''
  }
  if (lines !== '') yield Buffer.from(lines)
}

export async function readQuery<T>(
  { url, sql }: DatabasePlace & { readonly sql: string },
  { signal }: Asking,
  body: (rows: QueryRows) => Promise<T>,
): Promise<T> {
  if (!(await isThere(fileOf(url)))) throw new Refusal('there is no such file')
  return withConnection(fileOf(url), { isReadOnly: true, signal }, async connection => {
    const source = withoutEnd(sql)
    const statement = await prepared(connection, source)
    const fields = Array.from({ length: statement.columnCount }, (_, at) => ({
      name: statement.columnName(at),
      read: readOf(statement.columnType(at)),
    }))
    statement.destroySync()
    const columns = fields.map((_, at) => `c${at + 1}`)
    // The only cell of a row is never an empty line.
    const only = `coalesce(${quotedText(fields[0]?.read === STRING ? 'c1::varchar' : `(${fields[0]?.read.text('c1')})`)}, '""')`
    const cells = fields.map(({ read }, at) => `coalesce(${read.text(columns[at]!)}, '')`)
    // The line end is for a query that ends in a comment.
    const lines = `select ${fields.length === 1 ? only : cells.join(` || ',' || `)} || chr(10) from (${source}\n) as query(${columns.join(', ')})`
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`${fields.map(({ name }) => quoted(name)).join(',')}\n`)
      yield* linesOf(connection, lines)
    }
    return body({ types: fields.map(({ read }) => read.type), bytes: bytes() })
  })
}
