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

const documents = () => import('./documents.ts')

/** Name -> reporter, in the order of the help. */
export const REPORTERS: Readonly<Record<string, ReporterType>> = {
  junit: {
    target: 'file',
    defaultPath: 'junit.xml',
    acceptsStdout: true,
    extensions: EXTENSIONS.junit,
    isAutomatic: ({ platform }) => JUNIT_PLATFORMS.includes(platform),
    create: async options => (await documents()).documentReporter('junit', options),
  },
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
    create: async options => (await documents()).gitlabReporter(options),
  },
  openmetrics: {
    target: 'file',
    defaultPath: 'metrics.txt',
    acceptsStdout: true,
    extensions: EXTENSIONS.openmetrics,
    create: async options => (await documents()).documentReporter('openmetrics', options),
  },
  'json-events': {
    target: 'file',
    defaultPath: 'events.jsonl',
    acceptsStdout: true,
    extensions: EXTENSIONS['json-events'],
    create: async ({ path, io }) => (await import('./json-events.ts')).jsonEventsReporter(path ?? '', io),
  },
  markdown: {
    target: 'file',
    defaultPath: 'report.md',
    acceptsStdout: true,
    extensions: EXTENSIONS.markdown,
    create: async options => (await documents()).documentReporter('markdown', options),
  },
  html: {
    target: 'file',
    defaultPath: 'index.html',
    acceptsStdout: true,
    extensions: EXTENSIONS.html,
    isAutomatic: ({ pipelines }) => pipelines > 1,
    create: async options => (await documents()).indexReporter(options),
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
    unavailable: env =>
      hasDagster({ env })
        ? null
        : { why: 'Dagster did not start this process', hint: 'It is enabled automatically under PipesSubprocessClient.' },
    usesStdout: async env => (await import('./dagster.ts')).usesStdout(env),
    create: async ({ io }) => (await import('./dagster.ts')).dagsterReporter(io),
  },
}
