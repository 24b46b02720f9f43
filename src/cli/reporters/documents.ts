/** Reporters that write one document about a call when it has ended: to a file, whole or not at all, or to stdout. */
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeAtomic } from '../../compose.ts'
import { renderJunit, renderMarkdownOf, renderOpenMetrics, type Told } from '../../report/index.ts'
import type { Io } from '../io.ts'
import type { Reporter } from './reporter.ts'

/** Names a file on stdout. */
export const STDOUT = '-'

/** Document formats: what it is made by, and its name where none is given. */
export const DOCUMENTS = {
  junit: { file: 'junit.xml', render: renderJunit },
  openmetrics: { file: 'metrics.txt', render: renderOpenMetrics },
  markdown: { file: 'report.md', render: (told: readonly Told[]) => renderMarkdownOf(told) },
} as const

/** Name of a document format. */
export type DocumentName = keyof typeof DOCUMENTS

/** Writes a document to `path`, or to stdout. */
export const documentReporter = (name: DocumentName, path: string, io: Io): Reporter => ({
  name,
  async end(told) {
    const text = DOCUMENTS[name].render(told)
    if (path === STDOUT) io.out(text)
    else await writeDocument(resolve(io.cwd, path), text)
  },
})

/** What GitLab keeps of a job. */
export const GITLAB = [DOCUMENTS.openmetrics, DOCUMENTS.junit]

/** Writes the two documents that GitLab keeps of a job into `folder`. */
export const gitlabReporter = (folder: string, io: Io): Reporter => ({
  name: 'gitlab',
  async end(told) {
    for (const { file, render } of GITLAB) await writeDocument(resolve(io.cwd, join(folder, file)), render(told))
  },
})

async function writeDocument(path: string, text: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await writeAtomic(path, text)
}
