/** GitHub Actions: annotations in the log, and the summary and outputs of the step in the files that its environment names. */
import { appendFileSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { githubAnnotations, githubOutputFile, githubOutputs, type PipelineResult, renderMarkdowns } from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import type { CallReporter } from './reporter.ts'

/** Bytes. GitHub rejects a step summary above 1,024 KiB as a whole, and other commands of the step may still add to it. */
const MAX_SUMMARY = 900_000
/** Bytes. The shortest summary that still shows the verdict. */
const MIN_SUMMARY = 2_000

/** `summary` replaces GITHUB_STEP_SUMMARY. */
export function githubReporter(summary: string | null, io: Io): CallReporter {
  const file = (name: string): string | null => (io.env[name] ?? '') || null
  const inWorkspace = (path: string): string | null => {
    const below = relative(file('GITHUB_WORKSPACE') ?? io.cwd, resolve(io.cwd, path))
    return below === '' || below.startsWith('..') || resolve(below) === below ? null : below
  }
  return {
    name: 'github',
    async onCallEnd(results, exitCode) {
      const parts = [
        () => githubAnnotations(results, inWorkspace).forEach(io.err),
        () => append(file('GITHUB_OUTPUT'), () => githubOutputFile(githubOutputs(results, exitCode))),
        () => append(summary ?? file('GITHUB_STEP_SUMMARY'), room => renderSummary(results, room, io)),
      ]
      // A part that fails does not stop the others.
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

function append(path: string | null, text: (size: number) => string): void {
  if (path === null) return
  appendFileSync(path, text(statSync(path, { throwIfNoEntry: false })?.size ?? 0), { mode: 0o600 })
}

/** Without cells of the list unless FETTLE_SUMMARY_ROWS asks for them: everyone who sees the workflow sees its summary. */
function renderSummary(results: readonly PipelineResult[], size: number, { env }: Io): string {
  const room = MAX_SUMMARY - size
  if (room < MIN_SUMMARY) throw new Error(`the summary of this step is full: ${size} bytes`)
  const hasRows = /^(?:true|1)$/i.test(env.FETTLE_SUMMARY_ROWS ?? '')
  return `${size > 0 ? '\n' : ''}${renderMarkdowns(results, room - 1, hasRows)}`
}
