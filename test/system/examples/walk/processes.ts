/**
 * Processes of a walk. They are found by a mark in their environment, by their session and by their parent: a tool starts them in
 * groups of their own, and some overwrite their environment with a title.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Project } from '../kit.ts'

export interface Process {
  readonly pid: number
  readonly parent: number
  readonly session: number
  readonly command: string
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A process; null once it is gone or only waits for its parent. */
function processOf(pid: number): Process | null {
  const stat = textOf(`/proc/${pid}/stat`)
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (parent === undefined || state === 'Z') return null
  const command = textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  return { pid, parent: Number(parent), session: Number(session), command }
}

/** The processes that started one, the nearest first. */
export function ancestorsOf(pid: number): Process[] {
  const found: Process[] = []
  for (let at = processOf(pid); at !== null && at.parent > 1; at = processOf(at.parent)) {
    const parent = processOf(at.parent)
    if (parent !== null) found.push(parent)
  }
  return found
}

/** Kills a process and waits until it is gone. */
export async function kill(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone.
  }
  while (processOf(pid) !== null) await sleep(20)
  // Its connections are closed by then, and the other ends have noticed.
  await sleep(100)
}

/** Everything that a walk starts, and what that starts. `mark` is `NAME=value` of their environment. */
export class Family {
  readonly #sessions = new Set<number>()

  constructor(readonly mark: string) {}

  start(command: string, args: readonly string[], work: Project, log: string): ChildProcess {
    const file = openSync(log, 'a')
    const child = spawn(command, [...args], { ...work, detached: true, stdio: ['ignore', file, file] })
    if (child.pid !== undefined) this.#sessions.add(child.pid)
    return child
  }

  #members(): number[] {
    const all = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []))
    const found = new Set<number>()
    for (const { pid, session } of all)
      if (this.#sessions.has(session) || textOf(`/proc/${pid}/environ`).includes(this.mark)) found.add(pid)
    for (let size = -1; size !== found.size; ) {
      size = found.size
      for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
    }
    return [...found]
  }

  /** Whether one of them has a text in its environment. */
  has(text: string): boolean {
    return this.#members().some(pid => textOf(`/proc/${pid}/environ`).includes(text))
  }

  /** Kills all of them, also what a dying one starts meanwhile. */
  async kill(): Promise<void> {
    for (let left = this.#members(); left.length > 0; left = this.#members()) await Promise.all(left.map(kill))
    this.#sessions.clear()
  }
}
