/**
 * Removes a row from the contents of the events of a finished run: what reports show of it, and the companies that were found for it alone. Counts,
 * job ids, credits and correlation ids stay.
 */
import { type Content, contentAt, type RunEvent, readContents, readJournal } from '../journal/index.ts'
import type { Plan } from '../pipeline/index.ts'

/** What identifies the rows of a key in one run. */
export interface ForgottenRows {
  readonly key: string
  /** Data rows from 1. */
  readonly rows: ReadonlySet<number>
  readonly fingerprints: ReadonlySet<string>
  /** Names and other cells of the rows, which messages may quote. */
  readonly cells: ReadonlySet<string>
  /** Companies that no other row of the run has. */
  readonly companies: ReadonlySet<string>
}

type Item = Readonly<Record<string, unknown>>

const isItem = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a sample, a duplicate, a change or an example is about one of the rows. */
export function isOfRows(item: unknown, { key, rows, fingerprints, cells }: ForgottenRows): boolean {
  if (!isItem(item) || !('row' in item)) return false
  if (item.key === key || (typeof item.row === 'number' && rows.has(item.row))) return true
  // The same cells may have been asked under a different key.
  if (typeof item.fingerprint === 'string' && fingerprints.has(item.fingerprint)) return true
  return typeof item.name === 'string' && cells.has(item.name)
}

const GONE = 'forgotten'
/** Shorter texts are words of any message. */
const SHORTEST = 3

interface Counts {
  /** Entries that are removed or changed. */
  readonly entries: number
  /** Contents that only a run with the rows has: the number in a message may be a key, too. */
  readonly ofRows: number
}

/** The cells that a message may quote, as whole words. */
function quotedBy({ cells, key }: ForgottenRows): RegExp {
  const quoted = [...cells, key].filter(cell => cell.length >= SHORTEST).sort((a, b) => b.length - a.length)
  const words = quoted.map(cell => cell.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(words.length === 0 ? '(?!)' : `(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
}

function withoutRows(event: RunEvent, forgotten: ForgottenRows, quoted: RegExp): Counts & { readonly event: RunEvent } {
  let entries = 0
  let messages = 0
  const isCompany = (id: unknown): boolean => typeof id === 'string' && forgotten.companies.has(id)
  function clean(value: unknown, name: string): unknown {
    if (Array.isArray(value)) {
      const kept = value.filter(item => !isOfRows(item, forgotten))
      entries += value.length - kept.length
      return kept.map(item => clean(item, name))
    }
    if (isItem(value)) {
      const cleaned = Object.fromEntries(Object.entries(value).map(([field, content]) => [field, clean(content, field)]))
      if (!isCompany(value.id)) return cleaned
      entries++
      const director = 'person' in value && {
        person: '',
        ...('born' in value && { born: '' }),
        ...('why' in value && { why: GONE }),
      }
      return { ...cleaned, id: GONE, ...('name' in value && { name: GONE }), ...director }
    }
    if ((name === 'company' || name === 'left' || name === 'examples') && isCompany(value)) {
      entries++
      return GONE
    }
    if (name === 'message' && typeof value === 'string') {
      const shown = value.replace(quoted, '…')
      if (shown !== value) messages++
      return shown
    }
    return value
  }
  switch (event.type) {
    case 'run.started': {
      const asked = event.args['refresh-key']
      const keys = Array.isArray(asked) ? asked.filter(key => key !== forgotten.key) : asked
      if (Array.isArray(asked) && asked.length > (keys as readonly string[]).length) entries++
      const args = keys === undefined ? event.args : { ...event.args, 'refresh-key': keys }
      // The first values of each column are for nothing but reports.
      const profile = event.plan.profile?.map(column => ({ ...column, examples: [] }))
      const plan = { ...event.plan, issues: clean(event.plan.issues, 'issues') as Plan['issues'], profile }
      const merged = event.merged && { ...event.merged, issues: clean(event.merged.issues, 'issues') as [] }
      return { event: { ...event, args, plan, merged }, entries: entries + messages, ofRows: entries }
    }
    // Its question and its companies belong together, and only the outputs needed them.
    case 'candidates.found':
    case 'candidates.reused':
    case 'accepted.fetched':
      return { event: { ...event, companies: [] }, entries: event.companies.length > 0 ? 1 : 0, ofRows: 0 }
    // The facts of a hit are about the entry of a list, and were found for the company.
    case 'screen.finished':
    case 'screen.reused':
    case 'screen.shared': {
      const company = isCompany(event.company.id) ? { ...event.company, found: undefined } : event.company
      return { event: clean({ ...event, company }, '') as RunEvent, entries: entries + messages, ofRows: entries }
    }
    case 'hits.judged': {
      const listed = event.listed.filter(({ id }) => !isCompany(id))
      const gone = event.listed.length - listed.length
      return { event: { ...event, listed }, entries: gone, ofRows: gone }
    }
    default: {
      const cleaned = clean(event, '') as RunEvent
      return { event: cleaned, entries: entries + messages, ofRows: entries }
    }
  }
}

/** The contents of the events of a journal without the rows. Throws as readJournal does. */
export function forgetInContents(
  journal: string,
  forgotten: ForgottenRows,
): Counts & { readonly contents: ReadonlyMap<number, Content> } {
  const { events } = readJournal(journal)
  const quoted = quotedBy(forgotten)
  const contents = new Map<number, Content>()
  let entries = 0
  let ofRows = 0
  for (const [line, content] of readContents(journal)) {
    const event = events[line - 1]
    // A kill may leave a content without its event.
    if (event === undefined) continue
    const cleaned = withoutRows(event, forgotten, quoted)
    entries += cleaned.entries
    ofRows += cleaned.ofRows
    contents.set(line, contentAt(cleaned.event, Object.keys(content)))
  }
  return { contents, entries, ofRows }
}
