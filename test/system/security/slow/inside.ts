/** Runs the command line in the process of the test, one command at a time: like the binary, except for start-up. */
import { Readable } from 'node:stream'
import { runProgram } from '../../../../src/cli/program.ts'
import { ENVIRONMENT } from '../../cli/fettle.ts'

/** How a command ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Carries out `args` in `cwd`, with `env` and nothing of the tester's own. */
export async function inside(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const out: string[] = []
  const err: string[] = []
  const before = process.cwd()
  process.chdir(cwd)
  try {
    const code = await runProgram(args, {
      env: { ...ENVIRONMENT, ...env },
      cwd,
      out: text => void out.push(`${text}\n`),
      err: text => void err.push(`${text}\n`),
      draw: text => void err.push(text),
      stdin: () => Readable.from([]),
      isTerminal: false,
      columns: () => 80,
      rows: () => 24,
      colour: { out: false, err: false },
      signal: new AbortController().signal,
    })
    return { code, stdout: out.join(''), stderr: err.join('') }
  } finally {
    process.chdir(before)
  }
}
