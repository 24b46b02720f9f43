/** Many embedded runs in one process: they share the event loop, and nothing of them stays. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { runs } from '../../support/runs.ts'
import { ROOT } from '../../system/cli/fettle.ts'

interface Held {
  readonly heap: number
  readonly listeners: number
  readonly handles: number
  readonly files: number
}

function manyRuns<T>(how: 'together' | 'in-turn', count: number, ...flags: readonly string[]): T {
  const program = join(import.meta.dirname, 'many-runs.mjs')
  const library = pathToFileURL(join(ROOT, 'dist/index.js')).href
  const args = [...flags, '--expose-gc', program, how, String(count), library]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as T
}

const isLinux = process.platform === 'linux'

// How long they hold the event loop: `npm run bench -- loop`.
test.runIf(isLinux)('20 embedded runs at once end as one alone does', () => {
  const { statuses } = manyRuns<{ statuses: string[] }>('together', 20)
  expect(statuses).toEqual(manyRuns<{ statuses: string[] }>('together', 1).statuses)
  expect(statuses).toEqual(['warn'])
})

test.runIf(isLinux)('runs on one signal, one after the other, leave no listener, handle, file or memory', () => {
  const count = runs(10, 200)
  // Compiled code is kept by V8 as long as the program runs; without it the heap shows what the runs keep. Few runs also show its warming up.
  const [middle, last] = manyRuns<Held[]>('in-turn', count, '--no-opt', '--no-sparkplug') as [Held, Held]
  expect(last).toMatchObject({ listeners: 0, handles: middle.handles, files: middle.files })
  expect((last.heap - middle.heap) / (count / 2)).toBeLessThan(runs(200_000, 4_000))
})
