/**
 * One run of the built command over a list, with its ledger checked: every row has one outcome, in the output and at the
 * service.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listRunIds, runDirectory } from '../../../src/runs/run-directory.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { checkRun } from '../../support/check-run/check-run.ts'
import { CREDENTIALS, commandOf } from '../kill/kit.ts'

/** A pipeline, and what it reads. */
export interface Listed {
  readonly pipeline: Readonly<Record<string, unknown>>
  readonly rows: number
  /** Writes the input, or whatever else the run needs, into the folder. */
  readonly fill: (folder: string) => Promise<unknown> | unknown
}

/** How the run ended, and what is wrong with it. */
export interface Judged {
  readonly code: number | null
  readonly stderr: string
  readonly totals: Readonly<Record<string, number | null>> | null
  readonly violations: readonly string[]
}

/** Runs and judges; a folder in which all was well is removed. */
export async function runAndJudge(service: FaultyService, { pipeline, rows, fill }: Listed): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-ledger-'))
  await fill(folder)
  writeFileSync(join(folder, 'p.json'), JSON.stringify(pipeline))
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    WAIT_DIVISOR: '20',
    FETTLE_URL: service.url,
    FETTLE_USERNAME: CREDENTIALS.username,
    FETTLE_PASSWORD: CREDENTIALS.password,
  }
  const [command, ...args] = commandOf(['run', 'p.json', '--json', '-q'])
  const { code, stdout, stderr } = await ended(spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
  const [id] = listRunIds(join(folder, 'fettle-runs'))
  const found =
    id === undefined
      ? []
      : await checkRun({
          runDirectory: runDirectory(join(folder, 'fettle-runs'), id).path,
          inputRows: rows,
          outputs: ['out.csv', 'unmatched.csv'],
          cwd: folder,
          service: { ...CREDENTIALS, url: service.service.url },
          secrets: [CREDENTIALS.password],
          said: [stdout, stderr],
        })
  const violations = found.map(({ invariant, what }) => `${invariant}: ${what}`)
  if (violations.length === 0) rmSync(folder, { recursive: true, force: true })
  return { code, stderr, totals: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? 'null')?.totals ?? null, violations }
}

function ended(child: ReturnType<typeof spawn>): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', text => {
      said[name] += text
    })
  return new Promise(resolve => child.on('close', code => resolve({ code, ...said })))
}
