/** What the runs of a pipeline have put under monitoring, and which alerts they wrote: a file beside the runs. */
import { createHash } from 'node:crypto'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import { listKept, readKeptText } from '../files/kept-files.ts'
import { nameLine, type Plan } from '../pipeline/index.ts'
import { alertsCsv, requireAlertsFile } from '../results/output/events-file.ts'
import type { MonitorLedger, MonitorStore } from '../run/index.ts'
import { type EventPlace, ownEventsFile, writeOwnAndCopy } from './event-store.ts'
import { makeFolder } from './run-directory.ts'

const Ledger = z.object({
  schema: z.literal('fettle/monitor-ledger/v1'),
  followed: z.record(
    z.string(),
    z.object({ companies: z.array(z.string()).readonly(), isOwn: z.boolean(), isDirector: z.literal(true).optional() }),
  ),
  requested: z.record(z.string(), z.array(z.string()).readonly()),
  hits: z.record(z.string(), z.string()),
})

const EMPTY: MonitorLedger = { followed: {}, requested: {}, hits: {} }

/** Throws FETTLE_JOURNAL_DAMAGED. */
function readLedger(path: string): MonitorLedger {
  try {
    const text = readKeptText(path)
    return text === null ? EMPTY : Ledger.parse(JSON.parse(text))
  } catch (cause) {
    const hint = 'Restore it, or remove it: all alerts are then written once more, and no monitoring of earlier runs is ended.'
    throw new FettleError('FETTLE_JOURNAL_DAMAGED', `the record of monitored searches ${path} cannot be read`, { hint, cause })
  }
}

export function openMonitorStore(plan: Plan, { directory, identity, root, mode }: EventPlace): MonitorStore {
  const output = plan.screen?.alerts ?? ''
  // The ids of schedules and hits belong to an account.
  const scope = createHash('sha256').update(identity).digest('hex').slice(0, 16)
  const end = `-monitor-${scope}.json`
  const path = join(dirname(directory.path), 'events', `${nameLine(plan)}${end}`)
  return {
    run: directory.id,
    read: () => readLedger(path),
    listReliedOn() {
      const folder = dirname(path)
      const others = listKept(folder).filter(name => name.endsWith(end) && name !== basename(path))
      const ledgers = others.map(name => readLedger(join(folder, name)))
      return new Set(
        ledgers.flatMap(({ followed, requested }) => [
          ...Object.keys(followed).filter(id => followed[id]!.companies.length > 0),
          ...Object.keys(requested),
        ]),
      )
    },
    async write(content) {
      makeFolder(dirname(path))
      const ledger: z.infer<typeof Ledger> = { ...content, schema: 'fettle/monitor-ledger/v1' }
      await writeAtomic(path, `${JSON.stringify(ledger)}\n`)
    },
    async writeAlerts(alerts) {
      await requireAlertsFile(resolve(root, output), output)
      const own = ownEventsFile(output, directory.id)
      return writeOwnAndCopy({ output, own }, alertsCsv(alerts), alerts.length, { root, mode })
    },
  }
}
