/** A FIFO in place of any file that fettle keeps: no command waits for it, and what needs the file ends with an error. */
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import { beforeAll, describe, expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { fettle, folderOf, importRegister } from '../cli/fettle.ts'

beforeAll(importRegister)

const PIPELINE = `name: p
input: { path: rows.csv, key: Supplier No }
mappings: { name: Company Name, orgNumber: Reg No, country: Country }
output: {path: out/p.csv, review: out/review.csv, unmatched: out/unmatched.csv}
review: {decisions: decisions.csv}
reuse: {matched: 30d, unmatched: 30d, review: 30d}
budget: {month: 1000}
notify: [{to: "http://127.0.0.1:9/n", on: [fail, recovered]}]
`
const LIST = `Supplier No,Company Name,Reg No,Country
1,Acme Forgings Ltd,01234567,GB
2,Bolton Castings Ltd,01234567,GB
3,Nobody Knows Us GmbH,99999999,DE
`

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['status', 'p'],
  ['report'],
  ['runs'],
  ['runs', '--pipeline', 'p', '--within', '1d'],
  ['runs', 'prune', '--older-than', '1s', '--all', '--dry-run'],
  ['costs'],
  ['verify'],
  ['diff', 'p'],
  ['review'],
  ['collect', 'p'],
  ['plan', 'p.yml'],
  ['forget', '--key', '2', '--dry-run'],
  ['resume'],
  ['run', 'p.yml', '--run-key', 'second'],
  ['run', 'p.yml', '--run-key', 'first'],
]

/** Runs `body` while the FIFO is watched; returns how many readers waited for it. */
async function waitingReaders(path: string, body: () => Promise<unknown>): Promise<number> {
  const gate = new SharedArrayBuffer(12)
  const state = new Int32Array(gate)
  const worker = new Worker(new URL('./fifo-watch.mjs', import.meta.url), { workerData: { gate, path } })
  const ended = new Promise(resolve => worker.once('exit', resolve))
  await body()
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
  await ended
  return state[2]!
}

describe.skipIf(process.platform === 'win32')('a FIFO in place of a file', { timeout: 300_000 }, () => {
  test('that fettle keeps ends a command with an error, or is left alone', async () => {
    const cwd = folderOf({ 'rows.csv': LIST, 'p.yml': PIPELINE })
    for (const key of ['first', 'again']) {
      const ended = await fettle(['run', 'p.yml', '--run-key', key], { cwd })
      expect(ended.code, ended.stderr).toBe(0)
    }
    await fettle(['run', 'none.yml'], { cwd })
    await fettle(['run', 'p.yml', '--input', 'none.csv'], { cwd })
    const kept = readdirSync(join(cwd, 'fettle-runs'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => relative(cwd, join(entry.parentPath, entry.name)))
    const waited: string[] = []
    for (const file of kept) {
      const copy = folderOf({})
      cpSync(cwd, copy, { recursive: true })
      rmSync(join(copy, file))
      execFileSync('mkfifo', [join(copy, file)])
      const at = kept.indexOf(file)
      for (const args of [...COMMANDS, ...COMMANDS].slice(at % COMMANDS.length).slice(0, runs(4, COMMANDS.length))) {
        const readers = await waitingReaders(join(copy, file), async () => {
          const ended = await fettle([...args], { cwd: copy })
          expect(ended.stderr, `${args.join(' ')} ${file}`).not.toContain('FETTLE_BUG')
        })
        if (readers > 0) waited.push(`${args.join(' ')}: ${file}`)
      }
    }
    expect(kept.length).toBeGreaterThan(15)
    expect(waited).toEqual([])
  })
})
