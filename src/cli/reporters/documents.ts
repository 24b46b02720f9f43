/** Reporters that write one document about the whole call at its end: to a file, atomically, or to stdout. */
import { dirname, join, relative, resolve, sep } from 'node:path'
import { packageInfo } from '../../env/package-info.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import {
  isRejection,
  type PipelineResult,
  RENDERERS,
  type Report,
  renderIndex,
  renderJunit,
  renderMarkdowns,
  renderOpenMetrics,
} from '../../report/index.ts'
import { makeFolder } from '../../runs/run-directory.ts'
import type { Io } from '../terminal/io.ts'
import { type CallReporter, type ReporterOptions, STDOUT } from './reporter.ts'

const RENDER = {
  junit: renderJunit,
  openmetrics: renderOpenMetrics,
  markdown: (results: readonly PipelineResult[]) => renderMarkdowns(results),
} as const

export const documentReporter = (name: keyof typeof RENDER, { path, io }: ReporterOptions): CallReporter => ({
  name,
  onCallEnd: results => writeDocument(path ?? STDOUT, RENDER[name](results), io),
})

/**
 * The page about all pipelines, with links to the page of each. At its default path it is written only if a pipeline came to a run:
 * a refused command leaves no files.
 */
export function indexReporter({ path, isRequestedPath, io }: ReporterOptions): CallReporter {
  const to = path ?? STDOUT
  return {
    name: 'html',
    page: to === STDOUT ? undefined : to,
    async onCallEnd(results) {
      if (!isRequestedPath && results.every(isRejection)) return
      const folder = to === STDOUT ? io.cwd : dirname(resolve(io.cwd, to))
      const linkOf = ({ metadata }: Report): string => {
        const steps = relative(folder, resolve(io.cwd, metadata.directory ?? '.', RENDERERS.html.file)).split(sep)
        return steps.map(encodeURIComponent).join('/')
      }
      await writeDocument(to, renderIndex(results, { tool: packageInfo(), linkOf }), io)
    },
  }
}

export const gitlabReporter = ({ path, io }: ReporterOptions): CallReporter => ({
  name: 'gitlab',
  async onCallEnd(results) {
    for (const format of ['openmetrics', 'junit'] as const)
      await writeDocument(join(path ?? '.', RENDERERS[format].file), RENDER[format](results), io)
  },
})

async function writeDocument(to: string, text: string, io: Io): Promise<void> {
  if (to === STDOUT) return io.out(text)
  const path = resolve(io.cwd, to)
  makeFolder(dirname(path))
  await writeAtomic(path, text, { isShared: true })
}
