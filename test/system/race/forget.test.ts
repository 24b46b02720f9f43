/**
 * `forget` next to a run: of a list that has the row, and of a different pipeline whose list lacks it and which rewrites the shared answers.
 * Nothing of the row is left once both have ended, or `forget` ended with 75, and leaves nothing when it is called again.
 */
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
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

/** A copy after the first run, with a row in both lists that no run has sent. */
function nextRun(): string {
  const cwd = folderOf()
  cpSync(base, cwd, { recursive: true })
  for (const name of ['has.csv', 'lacks.csv']) appendFileSync(join(cwd, name), 'KEY-4,Dover Ltd,4,GB\n')
  return cwd
}

const forget = (cwd: string) => fettleBinary(['forget', '--key', 'PERSON-4711'], { cwd, env })

test('while a run of the row waits at any of its requests', { timeout: 240_000 }, async () => {
  proxy.pieces = 0
  const undisturbed = await fettleBinary(['run', 'has.yml', '-q'], { cwd: nextRun(), env })
  expect(undisturbed.code, undisturbed.stderr).toBe(0)
  const all = proxy.pieces
  expect(all).toBeGreaterThan(6)
  let locked = 0
  const step = Math.ceil(all / runs(4, all))
  for (let stop = 1; stop <= all; stop += step) {
    const cwd = nextRun()
    let release = (): void => {}
    const reached = new Promise<void>(resolve => {
      Object.assign(proxy, { pieces: 0, stop, reached: resolve })
    })
    proxy.released = new Promise(resolve => {
      release = resolve
    })
    const run = start(['run', 'has.yml', '-q'], { cwd, env })
    await Promise.race([reached, run.ended])
    // Before it has its lock, the run has read nothing of the row yet.
    const isLocked = existsSync(join(cwd, 'fettle-runs/locks/has'))
    const { code } = await forget(cwd)
    locked += isLocked ? 1 : 0
    if (isLocked) expect(code, `request ${stop} of ${all}`).toBe(75)
    release()
    const ended = await run.ended
    expect(ended.code, `${stop}: ${ended.stderr}`).toBe(0)
    const again = await forget(cwd)
    expect(again.code, `request ${stop} of ${all}: ${again.stderr}`).toBe(0)
    expect(holders(cwd), `request ${stop} of ${all}`).toEqual([])
  }
  expect(locked).toBeGreaterThan(0)
  proxy.stop = Number.POSITIVE_INFINITY
})

test('started at the same moment as a run that rewrites the answers', { timeout: 240_000 }, async () => {
  for (let round = 0; round < runs(3, 30); round++) {
    const cwd = nextRun()
    const run = ['run', 'lacks.yml', '-q', '--refresh-key', 'KEY-1']
    const [ran, forgot] = await Promise.all([fettleBinary(run, { cwd, env }), forget(cwd)])
    expect([0, 75], ran.stderr).toContain(ran.code)
    expect([0, 75], forgot.stderr).toContain(forgot.code)
    if (forgot.code === 0) expect(holders(cwd), `round ${round}`).toEqual([])
    const again = await forget(cwd)
    expect(again.code, `round ${round}: ${again.stderr}`).toBe(0)
    expect(holders(cwd), `round ${round}`).toEqual([])
  }
})
