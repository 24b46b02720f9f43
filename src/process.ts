/** Which process of this machine one is, and whether another one still lives. */
import { readFileSync } from 'node:fs'

/** A process by its number and when it began, as its kernel counts; absent where the machine does not show it. */
export interface ProcessMark {
  readonly pid: number
  readonly began?: string | undefined
}

/** State and beginning of a process, where there is a /proc to tell (proc_pid_stat(5), fields 3 and 22). */
function statOf(pid: number): { readonly state: string; readonly began: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', began: fields[19] ?? '' }
  } catch {
    return null
  }
}

/** When this process began; undefined where the machine does not show it. */
export const ownBeginning = (): string | undefined => statOf(process.pid)?.began

/** A killed process that nobody collected still has its number, and so has another one after a restart: neither is alive. */
export function isAlive({ pid, began }: ProcessMark): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const stat = statOf(pid)
  if (stat === null) return true
  return stat.state !== 'Z' && stat.state !== 'X' && (began === undefined || began === stat.began)
}
