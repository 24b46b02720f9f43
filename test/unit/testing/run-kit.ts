/** A whole run through a fault server, in this process and in virtual time. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RunResult } from '../../../src/execution/run-settings.ts'
import { startRun } from '../../../src/execution/start.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { NO_OVERRIDES } from '../../../src/prepare/read-pipeline.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import { type FaultyService, serveWithFaults, VirtualClock } from '../../../src/testing/index.ts'
import { logIn } from '../service/kit.ts'

const PASSWORD = 'canary-Pa"ss word/1&'
export const SECRETS = [PASSWORD]
export const ROWS = 4

/** A place to run in, with its service, fault server and clock. */
export interface Stage {
  readonly folder: string
  readonly faulty: FaultyService
  readonly clock: VirtualClock
  /** Of the judge, who needs no login of his own. */
  readonly token: string
  /** One start of the pipeline. */
  run(): Promise<RunResult>
  /** The directory of its only run. */
  runDirectory(): string
}

/** Sets it up, with more rows and more keys of the pipeline if given; ended and removed after the test. */
export async function stage(moreRows = '', moreKeys = ''): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-testing-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'register.csv'), 'id,name,country\nc1,Harrow Optics Limited,GB\nc2,Bellbrook Dairy Limited,GB\n')
  writeFileSync(
    join(folder, 'in.csv'),
    `ref,Company\na,Harrow Optics Ltd\nb,"Bellbrook\nDairy"\nc,Nobody GmbH\nd,Harrow Optics\n${moreRows}`,
  )
  writeFileSync(
    join(folder, 'pipeline.yml'),
    `name: judged
input: { path: ${join(folder, 'in.csv')}, key: ref }
mappings: { name: Company }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
output: { path: out.csv, columns: ["*", general.connectId, match.outcome], unmatched: unmatched.csv }
${moreKeys}`,
  )
  const registerDir = join(folder, 'registers')
  const now = new Date('2026-01-01T00:00:00Z')
  await importRegister({ file: join(folder, 'register.csv'), name: 'small', dir: registerDir, now })
  const users = [{ username: 'judge', password: PASSWORD }]
  const faulty = await serveWithFaults({ dataDir: join(folder, 'service'), registerDir, registers: [], users })
  onTestFinished(() => faulty.close())
  const clock = new VirtualClock({ isIdle: () => faulty.server.pending() === 0 })
  const runsDir = join(folder, 'runs')
  const env = {
    FETTLE_URL: faulty.url,
    FETTLE_USERNAME: faulty.username,
    FETTLE_PASSWORD: faulty.password,
    FETTLE_DATA: folder,
  }
  return {
    folder,
    faulty,
    clock,
    token: (await logIn(faulty.service)).token,
    async run() {
      const { plan, credentials, issues } = await prepare(join(folder, 'pipeline.yml'), { env, cwd: folder, ...NO_OVERRIDES })
      if (plan === null) throw new Error(JSON.stringify(issues))
      const settings = { env, cwd: folder, runsDir, credentials, args: {}, timeoutMs: null, signal: new AbortController().signal }
      return startRun(plan, { ...settings, runtime: { clock } }, false)
    },
    runDirectory: () => join(runsDir, readdirSync(runsDir).find(name => name.includes('-judged-')) as string),
  }
}
