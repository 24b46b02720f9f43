/**
 * A strict reader of OpenMetrics 1.0 text, as far as gauges go: every rule of the specification's grammar and prose that a file
 * of gauges could break is an error here.
 */

/** A sample: its labels and value. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric family as it was declared. */
export interface Family {
  readonly type: string
  readonly unit: string | null
  readonly help: string | null
  readonly samples: readonly Sample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL}(?:,${LABEL})*)?)\\})? (\\S+)$`)
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$|^[+-]?Inf$|^NaN$/
const META = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.+)$`)
const TYPES = ['gauge', 'counter', 'stateset', 'info', 'histogram', 'gaugehistogram', 'summary', 'unknown']

const unescaped = (text: string): string => text.replace(/\\(["\\n])/g, (_, char: string) => (char === 'n' ? '\n' : char))

/** The families of a text by name; throws at the first rule broken. */
export function readOpenMetrics(text: string): Map<string, Family> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.pop() !== '# EOF') throw new Error('the text must end in # EOF')
  const families = new Map<string, { type: string; unit: string | null; help: string | null; samples: Sample[] }>()
  let name = ''
  const seen = new Set<string>()
  for (const line of lines) {
    if (line === '' || line.includes('\r')) throw new Error('no blank lines, no CR')
    const meta = META.exec(line)
    if (meta !== null) {
      const [, kind, of = '', value = ''] = meta
      // All lines of a family stand together, TYPE first of them.
      if (of !== name) {
        if (families.has(of)) throw new Error(`${of} stands in two places`)
        name = of
        families.set(name, { type: 'unknown', unit: null, help: null, samples: [] })
      }
      const family = families.get(name)!
      if (family.samples.length > 0) throw new Error(`${kind} of ${name} after its samples`)
      if (seen.has(`${kind} ${name}`)) throw new Error(`two ${kind} of ${name}`)
      seen.add(`${kind} ${name}`)
      if (kind === 'TYPE' && !TYPES.includes(value)) throw new Error(`no such type: ${value}`)
      if (kind === 'UNIT' && !name.endsWith(`_${value}`)) throw new Error(`${name} does not end in its unit ${value}`)
      if (kind === 'TYPE') family.type = value
      if (kind === 'UNIT') family.unit = value
      if (kind === 'HELP') family.help = unescaped(value)
      continue
    }
    if (line.startsWith('#')) throw new Error(`no comment of this form: ${line}`)
    const [, of, labelText = '', value = ''] = SAMPLE.exec(line) ?? []
    if (of === undefined) throw new Error(`no sample: ${line}`)
    const family = families.get(of)
    // A gauge's sample has the very name of its family.
    if (of !== name || family?.type !== 'gauge') throw new Error(`${of} is no gauge of the family at hand`)
    if (!NUMBER.test(value)) throw new Error(`no number: ${value}`)
    const labels: Record<string, string> = {}
    for (const [, label = '', inner = ''] of labelText.matchAll(/([a-zA-Z0-9_]+)="((?:[^"\\]|\\.)*)"/g)) {
      if (label in labels || label.startsWith('__')) throw new Error(`label ${label}`)
      labels[label] = unescaped(inner)
    }
    const identity = `${of} ${JSON.stringify(Object.entries(labels).sort())}`
    if (seen.has(identity)) throw new Error(`twice: ${identity}`)
    seen.add(identity)
    family.samples.push({ labels, value: Number(value) })
  }
  return families
}
