/**
 * Many runs of the library in one process: `together N`, or `in-turn N`. Prints what the process holds, as one line of JSON.
 * Processor time of the main thread, since other programs may hold the machine. Run with --expose-gc.
 */
import { getEventListeners } from 'node:events'
import { mkdtempSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const [how, count] = [process.argv[2], Number(process.argv[3])]
const { run } = await import(process.argv[4])

const folder = mkdtempSync(join(tmpdir(), 'fettle-many-'))
const stop = new AbortController()
const rows = Array.from({ length: 20 }, (_, at) => `Zyxwv ${at} Ltd,GB\n`).join('')

/** A run in a folder of its own. */
async function once(at) {
  const cwd = join(folder, `run-${at}`)
  const pipeline = { name: `p${at}`, service: 'embedded', register: 'sample', mappings: { name: 'name', country: 'country' } }
  const { mkdir } = await import('node:fs/promises')
  await mkdir(cwd, { recursive: true })
  writeFileSync(join(cwd, 'in.csv'), `name,country\n${rows}`)
  const options = { cwd, env: { FETTLE_DATA: join(folder, 'data') }, signal: stop.signal }
  return (await run({ ...pipeline, input: 'in.csv', output: 'out.csv' }, options)).status
}

const held = async () => {
  for (let round = 0; round < 4; round++) {
    globalThis.gc()
    await pause(20)
  }
  return {
    heap: process.memoryUsage().heapUsed,
    listeners: getEventListeners(stop.signal, 'abort').length,
    handles: process.getActiveResourcesInfo().length,
    files: readdirSync('/proc/self/fd').length,
  }
}

/** The longest turn of the event loop, in milliseconds: of processor time of the main thread, and by the clock. */
function watchTurns() {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`)
  const buffer = Buffer.alloc(64)
  const used = () => Number.parseInt(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)), 10) / 1e6
  let [last, most, at, longest, isOver] = [used(), 0, performance.now(), 0, false]
  const turn = () => {
    const now = used()
    most = Math.max(most, now - last)
    last = now
    const time = performance.now()
    longest = Math.max(longest, time - at)
    at = time
    if (!isOver) setImmediate(turn)
  }
  turn()
  return () => {
    isOver = true
    return { mostMs: most, elapsedMs: longest }
  }
}

if (how === 'together') {
  const end = watchTurns()
  const statuses = await Promise.all(Array.from({ length: count }, (_, at) => once(at)))
  console.log(JSON.stringify({ statuses: [...new Set(statuses)], ...end() }))
} else {
  const seen = []
  for (let at = 0; at < count; at++) {
    if (at === count / 2) seen.push(await held())
    await once(at)
  }
  seen.push(await held())
  console.log(JSON.stringify(seen))
}
rmSync(folder, { recursive: true, force: true })
