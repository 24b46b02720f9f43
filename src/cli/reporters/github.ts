/** GitHub Actions: annotations in the log, the summary and the outputs of the step in the files it names. It words nothing. */
import { appendFileSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { githubAnnotations, githubOutputFile, githubOutputs, type PipelineResult, renderMarkdownOf } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import type { Reporter } from './reporter.ts'

/** Bytes: a step's summary above 1,024 KiB is refused as a whole, and other commands of the step may still write to it. */
const SUMMARY = 900_000
/** Less room than this holds no verdict. */
const LEAST = 2_000

/** Reports to the platform; `summary` takes the place of GITHUB_STEP_SUMMARY. */
export function githubReporter(summary: string | null, io: Io): Reporter {
  const file = (name: string): string | null => (io.env[name] ?? '') || null
  const inWorkspace = (path: string): string | null => {
    const below = relative(file('GITHUB_WORKSPACE') ?? io.cwd, resolve(io.cwd, path))
    return below === '' || below.startsWith('..') || resolve(below) === below ? null : below
  }
  return {
    name: 'github',
    async end(told, exitCode) {
      const parts = [
        () => githubAnnotations(told, inWorkspace).forEach(io.say),
        () => append(file('GITHUB_OUTPUT'), () => githubOutputFile(githubOutputs(told, exitCode))),
        () => append(summary ?? file('GITHUB_STEP_SUMMARY'), room => summaryOf(told, room)),
      ]
      // One that fails leaves the others.
      const failures = parts.flatMap(part => {
        try {
          part()
          return []
        } catch (error) {
          return [(error as Error).message]
        }
      })
      if (failures.length > 0) throw new Error(failures.join('; '))
    },
  }
}

/** Adds to a file that other commands of the step add to as well. */
function append(path: string | null, text: (size: number) => string): void {
  if (path === null) return
  appendFileSync(path, text(statSync(path, { throwIfNoEntry: false })?.size ?? 0), { mode: 0o600 })
}

function summaryOf(told: readonly PipelineResult[], size: number): string {
  const room = SUMMARY - size
  if (room < LEAST) throw new Error(`the summary of this step is full: ${size} bytes`)
  return `${size > 0 ? '\n' : ''}${renderMarkdownOf(told, room - 1)}`
}
