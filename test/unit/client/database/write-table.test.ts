/**
 * Tables of a real PostgreSQL: replaced, extended and merged in one transaction. Whatever ends at any statement, the old table or the new
 * one is there, and a run that is repeated writes its rows once.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TableMode, TablePlace } from '../../../../src/client/database/database.ts'
import { checkTable, writeTable } from '../../../../src/client/database/write-table.ts'
import { isNear } from '../../../../src/pipeline/index.ts'
import { atFileEnd } from '../../../support/file-end.ts'
import { runs } from '../../../support/runs.ts'
import { HAS_POSTGRES, type Postgres, startPostgres } from './postgres.ts'
import { COLUMNS, expectOnce, fileWith, NEW, textOf, WRITTEN } from './rows.ts'

describe.skipIf(!HAS_POSTGRES)('a table', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
    await server.query('create schema enriched')
  }, 60_000)
  beforeEach(async () => {
    await server.query('drop table if exists enriched.suppliers cascade')
    await server.query('drop table if exists enriched.fettle_runs')
  })

  const placeOf = (mode: TableMode, url = server.url): TablePlace => ({
    ...{ shown: 'postgresql://***@host/test', url, table: 'enriched.suppliers', mode },
    key: mode === 'upsert' ? ['id'] : [],
  })
  const write = (mode: TableMode, { rows = NEW, runId = 'run-1', url = server.url, attempts = 1, columns = COLUMNS } = {}) => {
    const text = textOf(rows)
    const sha256 = createHash('sha256').update(text).digest('hex')
    return writeTable(placeOf(mode, url), { runId, columns, sha256, path: fileWith(text) }, { isNear, attempts })
  }
  const content = (): Promise<Record<string, unknown>[]> => server.query('select * from enriched.suppliers order by id, note')
  const ledger = (): Promise<Record<string, unknown>[]> =>
    server.query('select run_id, table_name, mode, rows::int from enriched.fettle_runs order by 1')
  const old = async (): Promise<void> => {
    await server.query(
      `create table enriched.suppliers (id int primary key, "match.score" float8, active bool, note text, since date default '2026-01-01')`,
    )
    await server.query(`insert into enriched.suppliers values (2, 0.5, true, 'old'), (9, 0.25, false, 'old')`)
  }

  test('that does not exist is created with the types of the columns', async () => {
    await write('replace')
    expect(await content()).toEqual(WRITTEN)
    const types = await server.query(
      `select column_name, data_type from information_schema.columns where table_name = 'suppliers' order by ordinal_position`,
    )
    expect(types.map(one => one.data_type)).toEqual(['integer', 'double precision', 'boolean', 'text'])
    expect(await ledger()).toEqual([{ run_id: 'run-1', table_name: 'enriched.suppliers', mode: 'replace', rows: 3 }])
  })

  test('of every type takes the cells of that type', async () => {
    const cells = {
      uuid: '00112233-4455-6677-8899-aabbccddeeff',
      float: '0.1',
      date: '2026-01-31',
      int8: '-128',
      uint16: '65535',
      uint32: '4294967295',
      uint64: '18446744073709551615',
      'decimal(12,2)': '12.50',
      decimal: '0.001',
      'timestamp(us)': '2026-01-31T08:15:00.250',
      'timestamp(ms,utc)': '2026-01-31T08:15:00Z',
      'time(us)': '23:59:59.000001',
    }
    const columns = Object.keys(cells).map((type, at) => ({ name: `c${at}`, type }))
    const text = `${columns.map(({ name }) => name).join('\t')}\n${Object.values(cells).join('\t')}`
    const rows = { runId: 'types', columns, sha256: '0', path: fileWith(text) }
    await writeTable(placeOf('replace'), rows, { isNear, attempts: 1 })
    const [row] = await server.query('select * from enriched.suppliers')
    expect(row).toMatchObject({ c3: -128, c4: 65_535, c5: '4294967295', c6: '18446744073709551615', c7: '12.50', c8: '0.001' })
    const types = await server.query(
      `select data_type from information_schema.columns where table_name = 'suppliers' order by ordinal_position`,
    )
    expect(types.map(one => one.data_type)).toEqual([
      ...['uuid', 'real', 'date', 'smallint', 'integer', 'bigint', 'numeric', 'numeric', 'numeric'],
      ...['timestamp without time zone', 'timestamp with time zone', 'time without time zone'],
    ])
  })

  test('is replaced with its grants, views and other columns left as they are', async () => {
    await old()
    await server.query('create view enriched.seen as select id from enriched.suppliers')
    await write('replace')
    expect(await content()).toEqual(WRITTEN.map(row => ({ ...row, since: new Date(2026, 0, 1) })))
    expect(await server.query('select id from enriched.seen order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
  })

  test('is extended, and merged by its key', async () => {
    await old()
    await write('append', { rows: [['5', '', '', 'new']] })
    expect((await content()).map(row => row.id)).toEqual([2, 5, 9])
    await write('upsert', { runId: 'run-2' })
    expect((await content()).map(({ id, note }) => [id, note])).toEqual([
      [1, 'one\ttab'],
      [2, '"quoted"\nline'],
      [3, null],
      [5, 'new'],
      [9, 'old'],
    ])
  })

  test('gets the rows of a run once; after a decision, replaced and merged ones again, and appended ones never', async () => {
    await expectOnce({ drop: () => server.query('drop table if exists enriched.suppliers'), write, content })
  })

  describe('keeps its rows, or has the new ones, when the process or the connection ends', () => {
    const real = pg.Client.prototype.query
    afterEach(() => {
      pg.Client.prototype.query = real
    })
    /** Ends the connection at a statement: before it is sent, or when its answer arrives. */
    function endAt(statement: number, when: 'before' | 'after'): () => number {
      let count = 0
      pg.Client.prototype.query = function (this: pg.Client, ...args: never[]) {
        const isAsked = args.length > 0 && ++count === statement
        const end = (): never => {
          ;(this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
          throw new Error('the process ended')
        }
        if (isAsked && when === 'before') return end()
        const answer = (real as (...all: never[]) => unknown).apply(this, args)
        return isAsked && answer instanceof Promise ? answer.then(end) : answer
      } as never
      return () => count
    }

    test.each(['replace', 'append', 'upsert'] as const)('at any statement: %s', { timeout: 60_000 }, async mode => {
      let cases = 0
      for (const when of ['before', 'after'] as const)
        for (let at = 1; ; at += runs(4, 1)) {
          await server.query('drop table if exists enriched.suppliers')
          await server.query('drop table if exists enriched.fettle_runs')
          await old()
          if (mode === 'append') await server.query('alter table enriched.suppliers drop constraint suppliers_pkey')
          const before = await content()
          const asked = endAt(at, when)
          const end = await write(mode).then(
            () => 'written',
            () => 'ended',
          )
          const statements = asked()
          pg.Client.prototype.query = real
          if (statements < at) break
          cases++
          const found = await content()
          const isOld = JSON.stringify(found) === JSON.stringify(before)
          await write(mode)
          const wanted = { replace: 3, append: 5, upsert: 4 }[mode]
          expect(isOld || found.length === wanted, `${when} ${at}`).toBe(true)
          expect(await content(), `${when} ${at}, ${end}`).toHaveLength(wanted)
          expect(await ledger()).toHaveLength(1)
        }
      expect(cases).toBeGreaterThan(runs(5, 20))
    })

    test('a connection that breaks at any byte is made again, and the rows are written once', { timeout: 60_000 }, async () => {
      const { url, cut } = await server.proxy()
      for (let bytes = 50; bytes < 4_000; bytes += runs(797, 97)) {
        await server.query('drop table if exists enriched.suppliers')
        cut(bytes)
        await write('append', { url, attempts: 2, runId: `run-${bytes}` })
        expect(await content(), `${bytes}`).toHaveLength(3)
      }
    })
  })

  test('of a server that falls silent at any byte is not written, and ends with the limit that has passed', async () => {
    const { url, silence } = await server.proxy()
    const impatient = `${url}?connect_timeout=1&read_timeout=1`
    for (const bytes of [1, 700, 1_500, 3_000]) {
      silence(bytes)
      await expect(write('replace', { url: impatient }), `${bytes}`).rejects.toMatchObject({
        code: 'FETTLE_OUTPUT_WRITE',
        message: expect.stringContaining('timeout expired'),
      })
    }
    silence(Number.POSITIVE_INFINITY)
    await write('replace', { url: impatient })
    expect(await content()).toHaveLength(3)
  }, 30_000)

  test('that another transaction holds is waited for, and then left alone', async () => {
    await old()
    const holder = new pg.Client({ connectionString: server.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('lock table enriched.suppliers in access exclusive mode')
    const impatient = `${server.url}&options=${encodeURIComponent('-c lock_timeout=200')}`
    await expect(write('replace', { url: impatient })).rejects.toMatchObject({
      code: 'FETTLE_OUTPUT_WRITE',
      message: expect.stringContaining('lock timeout (55P03)'),
    })
    const waiting = write('replace')
    await holder.query('commit')
    await holder.end()
    await waiting
    expect(await content()).toHaveLength(3)
  })

  test.each<[string, TableMode, string, string]>([
    [
      'a column is missing',
      'replace',
      'create table enriched.suppliers (id int, note text)',
      'the table has no column "match.score", "active"; it has "id", "note"',
    ],
    [
      'there is no unique index',
      'upsert',
      'create table enriched.suppliers (id int, "match.score" float8, active bool, note text)',
      'the table has no unique index on "id"',
    ],
    ['it is a view', 'append', `create view enriched.suppliers as select 1 as id`, 'it is not a table'],
    [
      'a column is generated',
      'append',
      'create table enriched.suppliers (id int generated always as identity, "match.score" float8, active bool, note text)',
      'the database generates "id"',
    ],
  ])('is refused before anything is sent when %s', async (_, mode, sql, why) => {
    await server.query(sql)
    await expect(checkTable(placeOf(mode), COLUMNS, { isNear, attempts: 1 })).rejects.toMatchObject({
      code: 'FETTLE_OUTPUT_WRITE',
      message: `cannot write the table enriched.suppliers at postgresql://***@host/test: ${why}`,
    })
    await server.query(sql.replace(/create (table|view) (\S+) .*/, 'drop $1 $2'))
  })

  test('a value that does not fit its column is named by row and column, not repeated, and nothing changes', async () => {
    await old()
    await server.query('alter table enriched.suppliers alter note type varchar(6)')
    const error = await write('replace', {
      rows: [
        ['1', '0.5', 'Y', 'short'],
        ['2', 'high', 'Y', 'x'],
      ],
    }).catch(one => one)
    expect(error.message).toContain('row 2, column "match.score": the value does not have the form of its column (22P02)')
    expect(error.message).not.toContain('high')
    await expect(write('replace', { rows: [['1', '', '', 'too long']] })).rejects.toThrow(
      'is longer than its column allows (22001)',
    )
    expect((await content()).map(row => row.note)).toEqual(['old', 'old'])
    expect(await ledger()).toEqual([])
  })

  test('keys that are empty or repeated are counted', async () => {
    await old()
    await expect(
      write('upsert', {
        rows: [
          ['', '', '', 'a'],
          ['1', '', '', 'b'],
          ['1', '', '', 'c'],
        ],
      }),
    ).rejects.toThrow('output.key "id" is empty in 1 rows, and 1 of its values are in several rows')
  })

  test('a full disk changes nothing', async context => {
    const small = join(server.folder, 'small')
    mkdirSync(small)
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', small]).status !== 0)
      return context.skip('a small disk needs root')
    atFileEnd(() => spawnSync('umount', ['-l', small]))
    chownSync(small, 65_534, 65_534)
    await server.query(`create tablespace small location '${small}'`)
    await old()
    const rows = Array.from({ length: 20_000 }, (_, at) => [String(at), '0.5', 'Y', 'a longer note for the disk'])
    const url = `${server.url}&options=${encodeURIComponent('-c temp_tablespaces=small')}`
    await expect(write('replace', { url, rows })).rejects.toThrow(/No space left on device \(53100\)/)
    expect(await content()).toHaveLength(2)
    await write('replace', { rows })
    expect(await content()).toHaveLength(20_000)
  })
})
