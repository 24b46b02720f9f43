/** Reporters that write one document about a call when it has ended: to a file, whole or not at all, or to stdout. */
import { dirname, join, relative, resolve, sep } from 'node:path'
import { writeAtomic } from '../../app/index.ts'
import { packageInfo } from '../../app/light.ts'
import { makeFolder } from '../../app/runs/run-directory.ts'
import {
  isRejection,
  type PipelineResult,
  RENDERERS,
  type Report,
  renderIndex,
  renderJunit,
  renderMarkdownOf,
  renderOpenMetrics,
} from '../../report/index.ts'
import type { Io } from '../terminal/io.ts'
import type { Reporter } from './reporter.ts'

/** Names a file on stdout. */
export const STDOUT = '-'

/** Document formats: what it is made by, and its name where none is given. */
export const DOCUMENTS = {
  junit: { file: 'junit.xml', render: renderJunit },
  openmetrics: { file: 'metrics.txt', render: renderOpenMetrics },
  markdown: { file: 'report.md', render: (told: readonly PipelineResult[]) => renderMarkdownOf(told) },
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

/** The page about several pipelines, where no other is named. */
export const INDEX = 'index.html'

/**
 * Writes the page about all pipelines to `path`, or to stdout; it leads to the page of each, wherever that lies from there. At its own
 * place among the runs (null) there is none where no pipeline came to a run: what was refused leaves nothing behind.
 */
export const indexReporter = (given: string | null, runsDir: string, io: Io): Reporter => ({
  name: 'html',
  async end(told) {
    if (given === null && told.every(isRejection)) return
    const path = given ?? join(runsDir, INDEX)
    const folder = path === STDOUT ? io.cwd : dirname(resolve(io.cwd, path))
    const linkOf = ({ metadata }: Report): string => {
      const steps = relative(folder, resolve(io.cwd, metadata.directory ?? '.', RENDERERS.html.file)).split(sep)
      return steps.map(encodeURIComponent).join('/')
    }
    const text = renderIndex(told, { tool: packageInfo(), linkOf })
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
  makeFolder(dirname(path))
  await writeAtomic(path, text)
}
