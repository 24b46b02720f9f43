/** OpenMetrics text read by a parser of others, from npm. It judges less than openmetrics-reader.ts, and knows nothing of us. */
// @ts-expect-error it comes without types
import parsePrometheus from 'parse-prometheus-text-format'

/** A family as the parser gives it. */
export interface Parsed {
  readonly name: string
  readonly type: string
  readonly metrics: readonly {
    readonly labels?: Readonly<Record<string, string>>
    readonly value?: string
    readonly count?: string
  }[]
}

/** Read by a parser of others; it knows the older form, in which a counter's family has the name of its sample and nothing has a unit. */
export const parsed = (text: string): Parsed[] => {
  const older = { counter: ['_total', 'counter'], info: ['_info', 'gauge'] } as const
  let plain = text.replace(/^# (?:UNIT .*|EOF)\n/gm, '')
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (counter|info)$/gm)) {
    const [suffix, as] = older[type as keyof typeof older]
    plain = plain
      .replace(`# TYPE ${name} ${type}`, `# TYPE ${name}${suffix} ${as}`)
      .replace(`# HELP ${name} `, `# HELP ${name}${suffix} `)
  }
  return parsePrometheus(plain)
}
