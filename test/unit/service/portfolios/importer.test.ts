/** Files imported into portfolios: added companies, companies removed by a sync, and recovery after a kill. */
import { cpSync, existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { safeNumber } from '../../../../src/service/enrichment/tags.ts'
import { start } from '../../../../src/service/server.ts'
import { eventually } from '../../../support/eventually.ts'
import { engine } from '../engine.ts'
import { type Caller, logIn, startService, temporaryFolder } from '../kit.ts'

const HEADER = 'Safe Number,Local Org No.,Country Code,Reference,Free Text,Personal Limit'
const USERS = [{ username: 'ann', password: 'the password of ann' }]

async function given(options: Parameters<typeof startService>[0] = {}) {
  const log: { import?: number; rows?: number }[] = []
  const service = await startService({ users: USERS, ...options, log: line => void log.push(JSON.parse(line)) })
  const caller = await logIn(service)
  const { portfolioId } = (await caller.call('POST', '/monitoring/portfolios', { name: 'one' })).body
  const path = `/monitoring/portfolios/${portfolioId}`
  const send = (kind: 'import' | 'sync', text: string) => sendTo(caller, `${path}/${kind}`, text)
  /** Sends the file and waits until it is carried out; gives what the log says of it. */
  const carryOut = async (kind: 'import' | 'sync', ...lines: string[]) => {
    const { body } = await send(kind, [HEADER, ...lines].join('\n'))
    const id = Number(/^Accepted for processing\. Import Id (\d+)$/.exec(body.status)?.[1])
    return eventually(() => {
      const { time, ...line } = log.find(one => one.import === id && one.rows !== undefined) as unknown as Record<string, unknown>
      expect(time).toBeDefined()
      return line
    })
  }
  return { service, caller, path, send, carryOut }
}

function sendTo(caller: Caller, path: string, text: string) {
  const form = new FormData()
  form.append('importcsv', new Blob([text]), 'portfolio.csv')
  return caller.call('POST', path, form)
}

const holdings = async (caller: Caller, path: string): Promise<string[]> =>
  (await caller.call('GET', `${path}/companies`)).body.data.map(
    ({ id, personalReference, freeText, personalLimit }: Record<string, unknown>) =>
      [id, personalReference, freeText, personalLimit].join('|'),
  )

test('an import finds companies by Safe Number, connectId, or local number with country, and keeps existing ones', async () => {
  const { caller, path, carryOut } = await given()
  const safe = safeNumber(engine.at(0))
  const first = await carryOut(
    'import',
    `${safe},,,R1,"free, text",100`,
    'GB-X-02,,,R2,,',
    ',03,France,R3,,',
    'UK000000000000000,,,,,',
    ',,,,,',
  )
  const portfolio = Number(path.split('/').at(-1))
  const counts = { rows: 5, added: 3, unknown: 2, removed: 0 }
  expect(first).toEqual({ import: expect.any(Number), kind: 'import', portfolio, ...counts })
  const wanted = ['GB-X-01|R1|free, text|100', 'GB-X-02|R2||', 'FR-X-03|R3||']
  expect(await holdings(caller, path)).toEqual(wanted)
  expect(await carryOut('import', 'GB-X-01,,,other,,')).toMatchObject({ rows: 1, added: 0, unknown: 0 })
  expect(await holdings(caller, path)).toEqual(wanted)
})

test('a sync makes the portfolio equal to the file', async () => {
  const { caller, path, carryOut } = await given()
  await carryOut('import', 'GB-X-01,,,R1,,', 'GB-X-02,,,R2,,')
  expect(await carryOut('sync', 'GB-X-02,,,other,,7', 'FR-X-03,,,R3,,')).toMatchObject({ rows: 2, added: 1, removed: 1 })
  expect(await holdings(caller, path)).toEqual(['GB-X-02|other||7', 'FR-X-03|R3||'])
  expect(await carryOut('sync', 'GB-X-99,,,,,')).toMatchObject({ rows: 1, added: 0, unknown: 1, removed: 2 })
  expect(await holdings(caller, path)).toEqual([])
})

test.each([
  ['', 'importcsv: the file is empty'],
  ['Safe Number\n', 'importcsv: the file has no row below its header'],
  ['a,b\n1,2\n', 'importcsv: the header must have the columns Safe Number, Local Org No.'],
  ['Safe Number,Reference\nGB-X-01\n', 'importcsv: '],
  ['Safe Number\n"GB-X-01\n', 'importcsv: line 2: a quote that opens'],
  ['PK\u0003\u0004\u0000\u0000', 'importcsv: line 1: the file is not text'],
])('an invalid file changes nothing: %j', async (text, details) => {
  const dataDir = await temporaryFolder()
  const { caller, path, send, carryOut } = await given({ dataDir })
  await carryOut('import', 'GB-X-01,,,,,')
  const reply = await send('sync', text)
  expect([reply.status, reply.body.details]).toEqual([400, expect.stringContaining(details)])
  expect(await holdings(caller, path)).toEqual(['GB-X-01|||'])
  await eventually(async () => expect(await readdir(join(dataDir, 'imports'))).toEqual([]))
})

test('runs accepted imports after a kill', async () => {
  const dataDir = await temporaryFolder()
  const [killed, log] = [await temporaryFolder(), [] as string[]]
  let copied = (): void => {}
  const copy = new Promise<void>(resolve => {
    copied = resolve
  })
  // The copy is taken while the first row is being looked up: accepted, and not carried out.
  const find: typeof engine.find = id => {
    if (!existsSync(join(killed, 'jobs.db'))) {
      for (const name of ['jobs.db', 'jobs.db-wal', 'imports'])
        cpSync(join(dataDir, name), join(killed, name), { recursive: true })
      copied()
    }
    return engine.find(id)
  }
  const service = await start({ users: USERS, dataDir }, { ...engine, find }, [])
  onTestFinished(() => service.close())
  const caller = await logIn(service)
  const { portfolioId } = (await caller.call('POST', '/monitoring/portfolios', { name: 'one' })).body
  const path = `/monitoring/portfolios/${portfolioId}`
  const rows = Array.from({ length: 300 }, (_, n) => `GB-X-0${(n % 2) + 1},,,R${n},,`)
  expect((await sendTo(caller, `${path}/sync`, [HEADER, ...rows].join('\n'))).status).toBe(200)
  await copy
  const again = await start({ users: USERS, dataDir: killed, log: line => void log.push(line) }, engine, [])
  onTestFinished(() => again.close())
  await eventually(() => expect(log.some(line => line.includes('"rows":300'))).toBe(true))
  expect(await holdings(await logIn(again), path)).toEqual(['GB-X-01|R298||', 'GB-X-02|R299||'])
  expect(await readdir(join(killed, 'imports'))).toEqual([])
})

test('deleting a portfolio removes its imports', async () => {
  const dataDir = await temporaryFolder()
  const { caller, path, send } = await given({ dataDir })
  const rows = Array.from({ length: 2_000 }, () => 'GB-X-01,,,,,')
  await send('import', [HEADER, ...rows].join('\n'))
  expect((await caller.call('DELETE', path)).status).toBe(200)
  await eventually(async () => expect(await readdir(join(dataDir, 'imports'))).toEqual([]))
  expect((await caller.call('GET', path)).status).toBe(404)
})
