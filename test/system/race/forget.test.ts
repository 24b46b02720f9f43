/**
 * `forget` next to a run of a different pipeline, which shares the answers and whose list lacks the row: whatever the run does meanwhile,
 * nothing of the row is left once both have ended, or `forget` removed nothing and ended with 75.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { atEnd, fettleBinary, folderOf, importRegister, start } from '../cli/fettle.ts'
import { loginAt, realService } from '../cli/servers.ts'

/** Passes bytes on; the piece `stop` of the client waits until it is released. */
const proxy = { url: '', stop: Number.POSITIVE_INFINITY, pieces: 0, reached: () => {}, released: Promise.resolve() }

let env: Record<string, string>
let base: string

const FORGOTTEN = ['PERSON-4711', 'Varnix']
const HEAD = 'Supplier No,Company Name,Reg No,Country\nKEY-1,Acme Ltd,1,GB\n'
const pipeline = (name: string): string => `name: ${name}
service: { url: "${proxy.url}", rate: { requests: 100, per: 1s } }
input: { path: ${name}.csv, key: Supplier No }
mappings: { name: Company Name, orgNumber: Reg No, country: Country }
output: { path: out/${name}.csv }
reuse: { matched: 30d, unmatched: 30d, review: 30d }
`

beforeAll(async () => {
  await importRegister()
  const service = await realService()
  const { port, pathname } = new URL(service.url)
  const server = createServer(client => {
    const upstream = connect(Number(port), '127.0.0.1')
    let turn: Promise<unknown> = Promise.resolve()
    client.on('data', bytes => {
      proxy.pieces++
      if (proxy.pieces === proxy.stop) {
        turn = turn.then(() => proxy.released)
        proxy.reached()
      }
      turn = turn.then(() => upstream.write(bytes))
    })
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy())
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    upstream.on('data', bytes => client.write(bytes))
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => server.close())
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
  env = loginAt(proxy)
  base = folderOf({
    'has.csv': `${HEAD}PERSON-4711,Varnix Steel Ltd,11076475,GB\n`,
    'lacks.csv': `${HEAD}KEY-2,Bolt Ltd,2,GB\n`,
    'has.yml': pipeline('has'),
    'lacks.yml': pipeline('lacks'),
  })
  const first = await fettleBinary(['run', 'has.yml', '-q'], { cwd: base, env })
  expect(first.code, first.stderr).toBe(0)
  expect(holders(base).length).toBeGreaterThan(3)
}, 120_000)

/** Files of the runs that have the row, unpacked. */
function holders(cwd: string): string[] {
  const files = readdirSync(join(cwd, 'fettle-runs'), { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name))
    const content = name.endsWith('.gz') ? gunzipSync(bytes) : bytes
    return FORGOTTEN.some(text => content.includes(text)) ? [name] : []
  })
}

/** A copy of the first night, whose second list has a row that no earlier list had. */
function nextNight(): string {
  const cwd = folderOf()
  cpSync(base, cwd, { recursive: true })
  writeFileSync(join(cwd, 'lacks.csv'), `${HEAD}KEY-3,Cork SA,3,FR\nKEY-4,Dover Ltd,4,GB\n`)
  return cwd
}

const forget = (cwd: string) => fettleBinary(['forget', '--key', 'PERSON-4711'], { cwd, env })

async function expectForgotten(cwd: string, code: number | null, when: string): Promise<void> {
  expect([0, 75], when).toContain(code)
  if (code === 0) expect(holders(cwd), when).toEqual([])
  const again = await forget(cwd)
  expect(again.code, `${when}: ${again.stderr}`).toBe(0)
  expect(holders(cwd), when).toEqual([])
}

test('while a run waits at any of its requests', { timeout: 240_000 }, async () => {
  proxy.pieces = 0
  const undisturbed = await fettleBinary(['run', 'lacks.yml', '-q'], { cwd: nextNight(), env })
  expect(undisturbed.code, undisturbed.stderr).toBe(0)
  const all = proxy.pieces
  expect(all).toBeGreaterThan(6)
  const step = Math.ceil(all / runs(4, all))
  for (let stop = 1; stop <= all; stop += step) {
    const cwd = nextNight()
    let release = (): void => {}
    const reached = new Promise<void>(resolve => {
      Object.assign(proxy, { pieces: 0, stop, reached: resolve })
    })
    proxy.released = new Promise(resolve => {
      release = resolve
    })
    const run = start(['run', 'lacks.yml', '-q'], { cwd, env })
    await Promise.race([reached, run.ended])
    const { code } = await forget(cwd)
    release()
    const ended = await run.ended
    expect(ended.code, `${stop}: ${ended.stderr}`).toBe(0)
    await expectForgotten(cwd, code, `request ${stop} of ${all}`)
  }
  proxy.stop = Number.POSITIVE_INFINITY
})

test('started at the same moment', { timeout: 240_000 }, async () => {
  for (let round = 0; round < runs(3, 30); round++) {
    const cwd = nextNight()
    const [ran, forgot] = await Promise.all([fettleBinary(['run', 'lacks.yml', '-q'], { cwd, env }), forget(cwd)])
    expect([0, 75], ran.stderr).toContain(ran.code)
    await expectForgotten(cwd, forgot.code, `round ${round}`)
  }
})
