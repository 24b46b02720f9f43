/** Identifies a process of this machine, and checks whether it is alive. */
import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process id and its start time as the kernel counts it; absent on machines without /proc. */
export interface ProcessMark {
  readonly pid: number
  readonly began?: string | undefined
}

/** State and start of a process from /proc (proc_pid_stat(5), fields 3 and 22); null without /proc. */
function readStat(pid: number): { readonly state: string; readonly began: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', began: fields[19] ?? '' }
  } catch {
    return null
  }
}

/** Start time of this process; undefined without /proc. */
export const ownBeginning = (): string | undefined => readStat(process.pid)?.began

/** Identifies the machine or container that has the process ids of this process: 8 hexadecimal digits. */
export function pidNamespace(): string {
  let space = ''
  try {
    space = readlinkSync('/proc/self/ns/pid')
  } catch {
    // No namespaces on this platform.
  }
  return createHash('sha256').update(`${hostname()} ${space}`).digest('hex').slice(0, 8)
}

/** Not alive: a zombie, which keeps its process id, and a later process with the same id. */
export function isAlive({ pid, began }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = readStat(pid)
  if (stat === null) return true
  return stat.state !== 'Z' && stat.state !== 'X' && (began === undefined || began === stat.began)
}
