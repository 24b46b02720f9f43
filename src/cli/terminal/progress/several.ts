/** Several pipelines of one call: how many are done, and a line for each that ends, since the results follow when all are done. */
import { counted } from '../../../counted.ts'
import { escapeTerminal } from '../../../report/formats/escape.ts'
import type { Io } from '../io.ts'
import { Screen } from './screen.ts'

export interface SeveralDisplay {
  ended(name: string, text: string): void
  stop(): void
}

const SILENT: SeveralDisplay = { ended() {}, stop() {} }

export function showSeveral(io: Io, total: number, isQuiet: boolean): SeveralDisplay {
  if (isQuiet || total < 2) return SILENT
  let done = 0
  const sum = (): string => `${done} of ${counted(total, 'pipeline')} done`
  if (!io.isTerminal)
    return {
      ended(name, text) {
        done += 1
        io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} [${name}] ${text} (${sum()})`))
      },
      stop() {},
    }
  const screen = Screen.of(io)
  const part = (): string[] => [sum()]
  screen.add(part)
  return {
    ended(name, text) {
      done += 1
      screen.above(`[${name}] ${text}`)
    },
    stop: () => screen.remove(part),
  }
}
