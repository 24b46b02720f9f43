/** Counts requests and their durations, and renders metrics as OpenMetrics or Prometheus text. */

/** Upper bounds of the duration buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number, suffix?: string]

/** A metric family. Its name ends in its unit; `_total` is added to counters. */
export interface Family {
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram' | 'info'
  readonly unit?: 'seconds' | 'bytes'
  readonly help: string
  readonly samples: readonly Sample[]
}

type Durations = { readonly counts: number[]; sum: number }

export function makeMetrics() {
  const answers = new Map<string, { readonly labels: Record<string, string>; readonly count: number }>()
  const durations = new Map<string, Durations>()
  return {
    /** Counts an answer; `seconds` is null when it was not timed. */
    answered(method: string, route: string, status: number, seconds: number | null): void {
      const labels = { method, route, status: String(status) }
      const key = JSON.stringify(labels)
      answers.set(key, { labels, count: (answers.get(key)?.count ?? 0) + 1 })
      if (seconds === null) return
      const of = durations.get(route) ?? { counts: [...BUCKETS, 0].map(() => 0), sum: 0 }
      const found = BUCKETS.findIndex(end => seconds <= end)
      const at = found < 0 ? BUCKETS.length : found
      of.counts[at] = (of.counts[at] ?? 0) + 1
      of.sum += seconds
      durations.set(route, of)
    },
    families: (): Family[] => [
      {
        name: 'fettle_http_requests',
        type: 'counter',
        help: 'Answered requests.',
        samples: [...answers.values()].map(({ labels, count }) => [labels, count]),
      },
      {
        name: 'fettle_http_request_duration_seconds',
        type: 'histogram',
        unit: 'seconds',
        help: 'Time from the headers of a request to the end of its answer.',
        samples: [...durations].flatMap(([route, of]) => listBuckets(route, of)),
      },
    ],
  }
}

export type Metrics = ReturnType<typeof makeMetrics>

function listBuckets(route: string, { counts, sum }: Durations): Sample[] {
  let upTo = 0
  const buckets = [...BUCKETS.map(String), '+Inf'].map((le, at): Sample => {
    upTo += counts[at] ?? 0
    return [{ route, le: le.includes('.') || le === '+Inf' ? le : `${le}.0` }, upTo, '_bucket']
  })
  return [...buckets, [{ route }, upTo, '_count'], [{ route }, sum, '_sum']]
}

const SUFFIX = { gauge: '', counter: '_total', histogram: '', info: '_info' } as const

const escaped = (text: string): string => text.replace(/[\\"\n]/g, char => (char === '\n' ? '\\n' : `\\${char}`))

function listSamples({ name, type, samples }: Family): string[] {
  return samples.map(([labels, value, suffix = SUFFIX[type]]) => {
    const texts = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    return `${name}${suffix}${texts.length === 0 ? '' : `{${texts.join(',')}}`} ${value}`
  })
}

/** OpenMetrics 1.0. */
export function metricsText(families: readonly Family[]): string {
  const lines = families.flatMap(family => [
    `# TYPE ${family.name} ${family.type}`,
    ...(family.unit === undefined ? [] : [`# UNIT ${family.name} ${family.unit}`]),
    `# HELP ${family.name} ${escaped(family.help)}`,
    ...listSamples(family),
  ])
  return `${[...lines, '# EOF'].join('\n')}\n`
}

/** The text format 0.0.4 of Prometheus: a family has the name of its samples, and there are no infos and units. */
export function plainMetricsText(families: readonly Family[]): string {
  const lines = families.flatMap(family => {
    const name = `${family.name}${SUFFIX[family.type]}`
    const help = family.help.replace(/[\\\n]/g, char => (char === '\n' ? '\\n' : '\\\\'))
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${family.type === 'info' ? 'gauge' : family.type}`, ...listSamples(family)]
  })
  return `${lines.join('\n')}\n`
}
