/** Starts the worker threads of the service: their programs are files of the package. */
import { Worker } from 'node:worker_threads'
import { packageFile } from '../../../package-file.ts'

export type StartThread = (workerData: object) => Worker

/** What a row leaves behind is short-lived: with less room for it a thread takes 40 to 45 MB less, in the same time. */
const YOUNG_MB = { 'match-thread': 8, 'enrich-thread': 4 }

/** Null when the service runs from its sources: then it works on one thread. */
export function threadStart(program: keyof typeof YOUNG_MB): StartThread | null {
  if (!import.meta.url.endsWith('.js')) return null
  const script = packageFile(`dist/${program}.js`)
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB[program] }
  return workerData => new Worker(script, { resourceLimits, execArgv: [], env: {}, workerData })
}
