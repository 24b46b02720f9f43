/** A working directory for a test with a list of two rows, one of them in the sample register. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClock } from '../../src/client/clock.ts'
import type { Clock, PipelineInput } from '../../src/index.ts'
import { atFileEnd } from './file-end.ts'

/** The working directory of a test until it leaves. */
export interface Place {
  readonly folder: string
  write(name: string, text: string): void
  /** A pipeline over the list; `more` in place of its keys. */
  pipeline(more?: Partial<PipelineInput>): PipelineInput
  /** Options for a run here, in an environment that holds nothing else; its pauses are short. */
  options(env?: Record<string, string>): {
    readonly runsDir: string
    readonly env: Record<string, string>
    readonly clock: Clock
  }
  atEnd(end: () => void): void
  leave(): void
}

/** Waits a twentieth of what it is told to. */
const clock: Clock = { ...realClock, sleep: (ms, signal) => realClock.sleep(ms / 20, signal) }

let data: string | null = null

/** Of the test file: the sample register is imported once. */
function dataFolder(): string {
  if (data !== null) return data
  const folder = mkdtempSync(join(tmpdir(), 'fettle-place-data-'))
  atFileEnd(() => {
    data = null
    rmSync(folder, { recursive: true, force: true })
  })
  data = folder
  return folder
}

/** Goes there. */
export function place(): Place {
  const home = process.cwd()
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fettle-place-')))
  const endings: (() => void)[] = []
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write('in.csv', 'name,country\nZyxwv Utsrqp Ltd,GB\nHarrow Optics Ltd,GB\n')
  process.chdir(folder)
  return {
    folder,
    write,
    pipeline: more => ({
      name: 'small',
      input: 'in.csv',
      mappings: { name: 'name', country: 'country' },
      output: 'out.csv',
      poll: { every: '500ms' },
      ...more,
    }),
    options: env => ({ runsDir: 'runs', env: { FETTLE_DATA: dataFolder(), FETTLE_REGISTER: 'sample', ...env }, clock }),
    atEnd: end => void endings.push(end),
    leave() {
      for (const end of endings) end()
      process.chdir(home)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
