/** `fettle events`: prints the events of a portfolio, or writes them and marks them as processed. */
import { resolve } from 'node:path'
import { withEvents, writeEvents } from '../../account/events.ts'
import { counted } from '../../counted.ts'
import { EXIT } from '../../errors.ts'
import type { KeyedEvent as PortfolioEvent } from '../../model/requests.ts'
import { parseDuration } from '../../pipeline/index.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import { type Flags, usageError } from '../command.ts'
import { isDay, isOn, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z?)?$/

/** Returns 0, also when there is no event. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const output = textFlag(flags, 'output')
  const isMarked = isOn(flags, 'mark')
  const query = { portfolio: needText(flags, 'portfolio'), since: readSince(flags), unprocessed: isMarked }
  const place = { env: io.env, service: textFlag(flags, 'service'), signal: io.signal }
  return withEvents(query, place, async ({ portfolio, events, mark }) => {
    if (output !== null) {
      await writeEvents(events, resolve(io.cwd, output), output)
      if (isMarked) await mark()
    }
    if (isOn(flags, 'json'))
      io.out(
        safeJson({ schema: 'fettle/events/v1', portfolio, count: events.length, output, events: output ? undefined : events }),
      )
    else {
      const lines = output === null ? events.map(formatEvent) : []
      const where = output === null ? '' : `, written to ${output}${isMarked ? ' and marked as processed' : ''}`
      io.text([`${portfolio.name} (${portfolio.id}): ${formatCounts(events)}${where}`, ...lines].map(escapeTerminal).join('\n'))
    }
    return EXIT.ok
  })
}

function readSince(flags: Flags): string | null {
  const text = textFlag(flags, 'since')
  if (text === null) return null
  if (DATE.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))) return text
  const ms = parseDuration(text)
  if (ms !== null) return new Date(Date.now() - ms).toISOString()
  throw usageError(`--since ${text}: expected a date such as 2026-03-01, or a time such as 26h or 7d`)
}

/** `17 events: 14 Company Status, 3 Address`. */
function formatCounts(events: readonly PortfolioEvent[]): string {
  if (events.length === 0) return 'no events'
  const counts = new Map<string, number>()
  for (const { rule } of events) counts.set(rule.name, (counts.get(rule.name) ?? 0) + 1)
  const kinds = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${count} ${name}`)
  return `${counted(events.length, 'event')}: ${kinds.join(', ')}`
}

const formatEvent = ({ at, company, reference, rule, old, new: now }: PortfolioEvent): string =>
  `${at.slice(0, 10)}  ${company.name} (${company.id}${reference === '' ? '' : `, ${reference}`})  ${rule.name}: ${old || '-'} -> ${now || '-'}`
