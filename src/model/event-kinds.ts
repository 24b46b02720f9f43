/** What a change of a company is called in a count: `14 changed status, 3 moved, 1 dissolved`. The kind of an event follows from the name of its rule. */

/** By the compared field of a register, in the order of a count. */
const WORDS = {
  status: 'changed status',
  address: 'moved',
  name: 'changed name',
  rating: 'changed rating',
  limit: 'changed credit limit',
  score: 'changed credit score',
  directors: 'changed directors',
  legalForm: 'changed legal form',
  activities: 'changed industry code',
  turnover: 'have a new turnover',
  profit: 'have a new profit',
  equity: 'have a new equity',
  employees: 'have a new number of employees',
  dissolved: 'dissolved',
} as const

type Kind = keyof typeof WORDS

const EVENT_KINDS = Object.keys(WORDS) as readonly Kind[]

/** The first that fits the name of a rule counts. */
const BY_RULE: readonly (readonly [Kind, RegExp])[] = [
  ['dissolved', /no longer active|dissol|ceased|insolv|liquidat|bankrupt/i],
  ['status', /status/i],
  ['address', /address/i],
  ['rating', /rating/i],
  ['limit', /limit/i],
  ['score', /score/i],
  ['directors', /director|officer|manag/i],
  ['legalForm', /legal form/i],
  ['activities', /industry|activit|\bSIC\b|NACE/i],
  ['turnover', /turnover/i],
  ['profit', /profit/i],
  ['equity', /equity/i],
  ['employees', /employees/i],
  ['name', /name/i],
]

const ENDED = /dissol|ceased|struck|closed|bankrupt|gel(ö|oe)scht|radi[ée]e?|not in the register/i

interface NamedEvent {
  readonly company: { readonly id: string }
  readonly rule: { readonly name: string }
  readonly new: string
}

function findKind({ rule, new: now }: NamedEvent): string {
  const [kind = null] = BY_RULE.find(([, pattern]) => pattern.test(rule.name)) ?? []
  if (kind === 'status' && ENDED.test(now)) return 'dissolved'
  return kind ?? rule.name
}

/** What a decision table counts of the events of a company: all, a kind, and the number of a rule. */
export const eventCounts = (rules: readonly number[]): string[] => ['count', ...EVENT_KINDS, ...rules.map(String)]

/** As what an event is counted for a decision table; a company that is dissolved has changed its status. */
export function countsAs(event: NamedEvent & { readonly rule: { readonly code: number | null } }): string[] {
  const kind = EVENT_KINDS.find(known => known === findKind(event))
  const { code } = event.rule
  return ['count', ...(kind ? [kind] : []), ...(kind === 'dissolved' ? ['status'] : []), ...(code === null ? [] : [String(code)])]
}

/** Companies by what happened to them; a company with two events of a kind counts once. */
export function countKinds(events: Iterable<NamedEvent>): Record<string, number> {
  const companies = new Map<string, Set<string>>()
  for (const event of events) {
    const kind = findKind(event)
    companies.set(kind, (companies.get(kind) ?? new Set()).add(event.company.id))
  }
  return Object.fromEntries([...companies].map(([kind, ids]) => [kind, ids.size]))
}

/** `14 changed status, 3 moved`; a kind without words is the name of its rule. */
export function kindWords(counts: Readonly<Record<string, number>>): string {
  const kinds = [...EVENT_KINDS, ...Object.keys(counts).filter(kind => !(EVENT_KINDS as readonly string[]).includes(kind))]
  return kinds
    .flatMap(kind => (counts[kind] ? [`${counts[kind]} ${WORDS[kind as Kind] ?? `with ${JSON.stringify(kind)}`}`] : []))
    .join(', ')
}
