/** Histories of pipelines on two machines that share their answers: what is started when, what goes wrong meanwhile, and how time passes. */
import fc from 'fast-check'
import type { PipelineInput } from '../../../src/index.ts'
import { INPUT } from '../kill/kit.ts'

const [, ...LINES] = INPUT.split('\n')
/** Mapped cells: most companies in two writings, so that rows repeat companies. */
export const ROWS = LINES.flatMap((line, at) => {
  const cells = line.slice(line.indexOf(',') + 1)
  return at % 3 === 0 ? [cells, cells.replace(' Ltd,', ' Limited,')] : [cells]
})
export const HEADER = 'ref,Company,No,Country'
export const MACHINES = ['alpha', 'beta'] as const

const DAY = 86_400_000

/** What decides which answers a pipeline may use. */
export interface Kind {
  readonly ages: { readonly matched: number; readonly review: number; readonly unmatched: number }
  readonly tags: readonly string[]
  /** What the third column is taken for. */
  readonly third: 'country' | 'town'
}

const TAGS = ['general.connectId', 'general.companyName']
const kind = (matched: number, rest: number, tags = TAGS, third: Kind['third'] = 'country'): Kind => ({
  ages: { matched: matched * DAY, review: rest * DAY, unmatched: rest * DAY },
  ...{ tags, third },
})

/** The first two ask the same, for other times and with other tags; the third asks about the same cells. */
export const KINDS = {
  plain: kind(20, 6),
  rich: kind(8, 3, [...TAGS, 'contact.city']),
  town: kind(20, 6, TAGS, 'town'),
} as const
export type Name = keyof typeof KINDS

export const columnsOf = ({ tags }: Kind): string[] => ['*', ...tags, 'match.outcome', 'match.why']

/** `reuses`: false sends every row. */
export const pipelineOf = (name: Name, reuses: boolean, list = `${name}.csv`): PipelineInput => {
  const { ages, tags, third } = KINDS[name]
  const { matched, review, unmatched } = ages
  return {
    name: reuses ? name : `full-${name}`,
    input: { path: list, key: 'ref' },
    mappings: { name: 'Company', orgNumber: 'No', [third]: 'Country' },
    enrich: { product: 'basic', tags: [...tags] },
    poll: { every: '500ms', max: '2s' },
    output: { path: `${reuses ? name : `full-${name}`}-out.csv`, columns: columnsOf(KINDS[name]) },
    ...(reuses ? { reuse: { matched: `${matched / DAY}d`, review: `${review / DAY}d`, unmatched: `${unmatched / DAY}d` } } : {}),
  }
}

const EFFECTS = ['cut', 'lost', '502', 'stall', 'killed at arrival', 'killed unanswered', 'killed when answered', 'stop'] as const
const OPERATIONS = [
  'createJob',
  'upload',
  'submit',
  'readJob',
  'setEnrichments',
  'enrich',
  'enrich',
  'enrichedFile',
  'file',
] as const

/** At the n-th request of a kind, the clock steps, or something of `EFFECTS` happens. */
const trouble = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  nth: fc.integer({ min: 1, max: 2 }),
  effect: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...EFFECTS) },
    { weight: 1, arbitrary: fc.constantFrom(3, 30, 100).map(hours => ({ hours })) },
  ),
})
export type Trouble = typeof trouble extends fc.Arbitrary<infer T> ? T : never

const change = fc.record({
  changed: fc.array(fc.tuple(fc.nat(20), fc.nat(ROWS.length - 1)), { maxLength: 2 }),
  gone: fc.array(fc.nat(20), { maxLength: 2 }),
  added: fc.array(fc.nat(ROWS.length - 1), { maxLength: 3 }),
})

const command = fc.record({
  machine: fc.constantFrom(...MACHINES),
  name: fc.constantFrom<Name>('plain', 'plain', 'plain', 'rich', 'rich', 'town'),
  /** A resume continues the newest unfinished run of the pipeline, with its list; without one it is a run. */
  verb: fc.constantFrom('run', 'run', 'run', 'resume'),
  /** Null for all rows. */
  limit: fc.constantFrom(null, null, null, null, null, null, null, 4),
  /** Null for the list as it was. */
  change: fc.option(change, { nil: null, freq: 3 }),
  troubles: fc.array(trouble, { maxLength: 2 }),
  /** Killed at the n-th operation on a file, or on a journal; null for no kill. */
  disk: fc.option(
    fc.oneof(
      fc.record({ nth: fc.integer({ min: 1, max: 260 }), of: fc.constant('file' as const) }),
      fc.record({ nth: fc.integer({ min: 1, max: 60 }), of: fc.constant('journal' as const) }),
    ),
    { nil: null, freq: 2 },
  ),
})
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

/** Commands that are started at once, and the hours until the next turn, in steps of the clock. */
const turn = fc.record({
  commands: fc.array(command, { minLength: 1, maxLength: 3 }),
  hours: fc.constantFrom(1, 5, 24, 24, 70, 100, 200, 500, -3),
})

export const someHistory = fc.record({
  first: fc.array(fc.nat(ROWS.length - 1), { minLength: 5, maxLength: 10 }),
  split: fc.constantFrom(null, null, 4),
  turns: fc.array(turn, { minLength: 2, maxLength: 4 }),
})
export type History = typeof someHistory extends fc.Arbitrary<infer T> ? T : never

/** A command without faults. */
export const calm = (machine: Command['machine'], name: Name, verb: Command['verb'] = 'run'): Command => ({
  ...{ machine, name, verb, limit: null, change: null, troubles: [], disk: null },
})

const describeEffect = ({ effect, operation, nth }: Trouble): string =>
  `${typeof effect === 'string' ? effect : `the clock steps ${effect.hours} h`} at ${operation} ${nth}`

/** One command as a line. */
export function describeCommand({ machine, name, verb, limit, change, troubles, disk }: Command): string {
  const more = [
    ...(limit === null ? [] : [`first ${limit} rows`]),
    ...(change === null ? [] : [`list changed ${JSON.stringify(change)}`]),
    ...troubles.map(describeEffect),
    ...(disk === null ? [] : [`killed at ${disk.of} operation ${disk.nth}`]),
  ]
  return [`${machine}: ${verb} ${name}`, ...more].join(', ')
}
