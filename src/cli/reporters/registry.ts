/** The table of reporters, read by help, completion, the parser of `--reporter` and the checks of paths. A reporter is its file and a row. */
import type { CallContext, ReporterType } from './reporter.ts'

/** File name extensions of each format: an existing file of another extension is never replaced. */
const JSON_LINES = ['.jsonl', '.ndjson', '.json', '.log']

export const EXTENSIONS = {
  text: ['.txt', '.log'],
  json: ['.json'],
  html: ['.html', '.htm'],
  markdown: ['.md', '.markdown'],
  junit: ['.xml'],
  csv: ['.csv'],
  xlsx: ['.xlsx'],
  openmetrics: ['.txt', '.prom', '.metrics', '.om'],
  'json-events': JSON_LINES,
  openlineage: JSON_LINES,
} as const satisfies Readonly<Record<string, readonly string[]>>

const hasDagster = ({ env }: Pick<CallContext, 'env'>): boolean => (env.DAGSTER_PIPES_CONTEXT ?? '') !== ''

const JUNIT_PLATFORMS: readonly CallContext['platform'][] = ['jenkins', 'azure', 'buildkite', 'circleci']

/** A document about the whole call. */
const documentType = (
  name: 'junit' | 'openmetrics' | 'markdown',
  file: string,
  isAutomatic?: ReporterType['isAutomatic'],
): ReporterType => ({
  target: 'file',
  defaultPath: file,
  acceptsStdout: true,
  extensions: EXTENSIONS[name],
  isAutomatic,
  create: async options => (await import('./documents.ts')).documentReporter(name, options),
})

/** Name -> reporter, in the order of the help. */
export const REPORTERS: Readonly<Record<string, ReporterType>> = {
  junit: documentType('junit', 'junit.xml', ({ platform }) => JUNIT_PLATFORMS.includes(platform)),
  github: {
    target: 'file',
    defaultPath: null,
    acceptsStdout: false,
    extensions: EXTENSIONS.markdown,
    isAutomatic: ({ platform }) => platform === 'github',
    create: async ({ path, io }) => (await import('./github.ts')).githubReporter(path, io),
  },
  gitlab: {
    target: 'folder',
    defaultPath: '',
    acceptsStdout: false,
    extensions: [],
    files: ['metrics.txt', 'junit.xml'],
    isAutomatic: ({ platform }) => platform === 'gitlab',
    create: async options => (await import('./documents.ts')).gitlabReporter(options),
  },
  openmetrics: documentType('openmetrics', 'metrics.txt'),
  'json-events': {
    target: 'file',
    defaultPath: 'events.jsonl',
    acceptsStdout: true,
    extensions: EXTENSIONS['json-events'],
    create: async ({ path, io }) => (await import('./json-events.ts')).jsonEventsReporter(path ?? '', io),
  },
  markdown: documentType('markdown', 'report.md'),
  html: {
    target: 'file',
    defaultPath: 'index.html',
    acceptsStdout: true,
    extensions: EXTENSIONS.html,
    isAutomatic: ({ pipelines }) => pipelines > 1,
    create: async options => (await import('./documents.ts')).indexReporter(options),
  },
  openlineage: {
    target: 'file',
    defaultPath: 'openlineage.jsonl',
    acceptsStdout: true,
    extensions: EXTENSIONS.openlineage,
    create: async ({ path, io }) => (await import('./openlineage.ts')).openLineageReporter(path ?? '', io),
  },
  dagster: {
    target: 'none',
    defaultPath: null,
    acceptsStdout: true,
    extensions: [],
    isAutomatic: hasDagster,
    unavailable: env => {
      if (hasDagster({ env })) return null
      return { why: 'Dagster did not start this process', hint: 'It is enabled automatically under PipesSubprocessClient.' }
    },
    usesStdout: async env => (await import('./dagster.ts')).usesStdout(env),
    create: async ({ io }) => (await import('./dagster.ts')).dagsterReporter(io),
  },
}
