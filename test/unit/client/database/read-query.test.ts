/** Queries of a real PostgreSQL as CSV: the text of every type, errors without values, certificates, connections that break. */
import { beforeAll, describe, expect, test } from 'vitest'
import { withQuery } from '../../../../src/client/database/databases.ts'
import type { Clock } from '../../../../src/model/requests.ts'
import { isNear } from '../../../../src/pipeline/index.ts'
import { freePort } from '../../../support/free-port.ts'
import { HAS_POSTGRES, type Postgres, selfSigned, startPostgres } from './postgres.ts'

const SHOWN = 'postgresql://***@host/test'

async function read(url: string, sql: string, attempts = 1): Promise<{ types: readonly string[]; text: string }> {
  return withQuery({ shown: SHOWN, url, sql }, { isNear, attempts }, async ({ types, bytes }) => {
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    return { types, text: Buffer.concat(pieces).toString() }
  })
}

/** Of each type: an expression, our type, and the text of its values. */
const TYPES: readonly (readonly [expression: string, type: string, text: string])[] = [
  [`'Żółw, "1"'::text`, 'string', '"Żółw, ""1"""'],
  [`''::varchar(5)`, 'string', '""'],
  ['null::text', 'string', ''],
  ['true', 'boolean', 'true'],
  ['false', 'boolean', 'false'],
  ['(-32768)::int2', 'int16', '-32768'],
  ['2147483647', 'int32', '2147483647'],
  ['9223372036854775807', 'int64', '9223372036854775807'],
  ['0.1::float4', 'float', '0.1'],
  ['0.1::float8', 'double', '0.1'],
  [`'NaN'::float8`, 'double', 'NaN'],
  ['12.5::numeric(12,2)', 'decimal(12,2)', '12.50'],
  ['12.50::numeric', 'decimal', '12.50'],
  [`'2026-01-31'::date`, 'date', '2026-01-31'],
  [`'infinity'::date`, 'date', 'infinity'],
  [`'08:15:00.25'::time`, 'time(us)', '08:15:00.250'],
  [`'2026-01-31 08:15:00'::timestamp`, 'timestamp(us)', '2026-01-31T08:15:00'],
  [`'2026-01-31 08:15:00.000001'::timestamp`, 'timestamp(us)', '2026-01-31T08:15:00.000001'],
  [`'2026-01-31 08:15:00.25+02'::timestamptz`, 'timestamp(us,utc)', '2026-01-31T06:15:00.250Z'],
  [`'00112233-4455-6677-8899-aabbccddeeff'::uuid`, 'uuid', '00112233-4455-6677-8899-aabbccddeeff'],
  [`'{"a": 1}'::jsonb`, 'string', '"{""a"": 1}"'],
  [`array[1,2]`, 'string', '"{1,2}"'],
]

describe.skipIf(!HAS_POSTGRES)('a query', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres({ settings: ['datestyle=german', 'timezone=Asia/Tokyo'] })
    await server.query('create table rows as select n, n % 7 as week from generate_series(1, 5000) n')
  }, 60_000)

  test('has the text of every type', async () => {
    const names = TYPES.map((_, at) => `"column ${at}"`)
    const { types, text } = await read(
      server.url,
      `select ${TYPES.map(([expression], at) => `${expression} as ${names[at]}`).join(', ')}`,
    )
    expect(types).toEqual(TYPES.map(([, type]) => type))
    expect(text.split('\n')).toEqual([names.join(','), TYPES.map(([, , cell]) => cell).join(','), ''])
  })

  test('keeps its order and names, also double ones, and may end in a comment or a semicolon', async () => {
    const { text } = await read(server.url, 'select n as a, week as a from rows order by n desc limit 2; ')
    expect(text).toBe('"a","a"\n5000,2\n4999,1\n')
    expect((await read(server.url, 'select n from rows where n = 1 -- the first')).text).toBe('"n"\n"1"\n')
    expect((await read(server.url, `values (''), (null)`)).text).toBe('"column1"\n""\n""\n')
  })

  test('changes nothing', async () => {
    await server.query('create function forget() returns int language sql as $$ delete from rows returning 1 $$')
    await expect(read(server.url, 'select forget()')).rejects.toMatchObject({
      code: 'FETTLE_INPUT_READ',
      message: expect.stringContaining('read-only transaction (25006)'),
    })
    expect(await server.query('select count(*)::int as n from rows')).toEqual([{ n: 5000 }])
  })

  test.each([
    ['select nothing from rows', 'column "nothing" does not exist at line 1, column 8 of input.sql (42703)'],
    ['select n,\n  from rows where', 'syntax error at or near "from" at line 2, column 3 of input.sql (42601)'],
    ['select 1) as a; commit; select * from (select 2', 'cannot insert multiple commands into a prepared statement (42601)'],
    ['select from rows', 'it has no columns'],
    [`select 'secret cell'::int`, 'a value does not have the form of its column (22P02)'],
    ['select 1 / (n - n) from rows', 'a value does not fit (22012)'],
  ])('%s is refused without a value of a row', async (sql, why) => {
    const error = await read(server.url, sql).catch(one => one)
    expect(error.message).toBe(`cannot read the query at ${SHOWN}: ${why}`)
  })

  test('a wrong password, a missing database and a missing server are named without the address', async () => {
    const wrong = server.url.replace(':secret@', ':wr0ng@')
    const error = await read(wrong, 'select 1').catch(one => one)
    expect(error.message).toContain('password authentication failed')
    expect(JSON.stringify([error.message, error.hint])).not.toContain('wr0ng')
    await expect(read(server.url.replace('/test?', '/other?'), 'select 1')).rejects.toThrow('(3D000)')
    await expect(read('postgresql://a:b@127.0.0.1:1/test', 'select 1')).rejects.toThrow('ECONNREFUSED')
  })

  test('is read again after a connection broke, and not more often than allowed', async () => {
    const { url, cut } = await server.proxy()
    cut(150)
    await expect(read(url, 'select n from rows')).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
    cut(150)
    expect((await read(url, 'select n from rows order by n', 2)).text.split('\n')).toHaveLength(5002)
  })

  test('of a server that falls silent at any byte ends with the limit that has passed', async () => {
    const { url, silence } = await server.proxy()
    const impatient = `${url}?connect_timeout=1&read_timeout=1`
    silence(Number.POSITIVE_INFINITY)
    expect((await read(impatient, 'select n from rows')).text.split('\n')).toHaveLength(5002)
    for (const bytes of [1, 400, 700, 1_000, 5_000, 20_000]) {
      silence(bytes)
      await expect(read(impatient, 'select n from rows'), `${bytes}`).rejects.toMatchObject({
        code: 'FETTLE_INPUT_READ',
        message: expect.stringContaining('timeout expired'),
      })
    }
  }, 30_000)
})

describe.skipIf(!HAS_POSTGRES || selfSigned() === null)('a server with a certificate', () => {
  test('is asked only if the certificate is known and names it', async () => {
    const tls = selfSigned()!
    const port = await freePort()
    const server = await startPostgres({ tls, port })
    const url = `postgresql://fettle:secret@localhost:${port}/test`
    await expect(read(`${url}?sslmode=require`, 'select 1')).rejects.toThrow(/self-signed certificate/)
    const known = `sslrootcert=${encodeURIComponent(`${server.folder}/cert`)}`
    expect((await read(`${url}?${known}`, 'select ssl as "on" from pg_stat_ssl where pid = pg_backend_pid()')).text).toBe(
      '"on"\n"true"\n',
    )
    await expect(read(`${url.replace('localhost', '127.0.0.1')}?${known}`, 'select 1')).rejects.toThrow(/IP|altnames/)
    expect((await read(`${url.replace('localhost', '127.0.0.1')}?sslmode=verify-ca&${known}`, 'select 1 as n')).text).toBe(
      '"n"\n"1"\n',
    )
  }, 60_000)
})

test('a broken connection is asked again after pauses that grow, up to ten seconds', async () => {
  const pauses: number[] = []
  const clock: Clock = { now: () => 0, monotonic: () => 0, random: () => 0, sleep: async ms => void pauses.push(ms) }
  const place = { shown: SHOWN, url: 'postgresql://a:b@127.0.0.1:1/test', sql: 'select 1' }
  const never = async (): Promise<never> => Promise.reject(new Error('no rows were expected'))
  await expect(withQuery(place, { isNear, attempts: 8, clock }, never)).rejects.toThrow('ECONNREFUSED')
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})
