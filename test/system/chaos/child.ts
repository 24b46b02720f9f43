/** Child processes that load in advance, so that a killed one is replaced at once. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** How to start one. */
export interface Kind {
  /** A module of this folder. */
  readonly script: string
  readonly args: readonly string[]
  readonly execArgv?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Starts a process; resolves when it says that it is ready. What it says on stderr is for the person who runs the tests. */
export async function startChild({ script, args, execArgv = [], env = {} }: Kind): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), [...args], {
    execArgv: [...execArgv],
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code, signal]) => {
      throw new Error(`${script} ended before it was ready: ${code ?? signal}`)
    }),
  ])
  return child
}

/** One process ready in advance; `take` gives it away and starts the next. */
export class Spare {
  readonly #kind: Kind
  #next: Promise<ChildProcess> | null = null

  constructor(kind: Kind) {
    this.#kind = kind
  }

  take(): Promise<ChildProcess> {
    const ready = this.#next ?? startChild(this.#kind)
    this.prepare()
    return ready
  }

  prepare(): void {
    this.#next = startChild(this.#kind)
    // Whoever takes it hears of its failure.
    this.#next.catch(() => {})
  }

  async close(): Promise<void> {
    const child = await this.#next?.catch(() => null)
    this.#next = null
    if (child != null) await kill(child)
  }
}

/** SIGKILL; resolves when it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
