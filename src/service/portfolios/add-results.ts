/** Adds the companies of a job to the portfolio that it names, or to the one for all jobs. */
import type { AddResults } from '../data-cleaning/processing/worker.ts'
import { readResults } from '../enrichment/row-results.ts'
import type { ObjectAccess } from '../object-access.ts'
import type { HoldingStore } from './holdings.ts'
import type { PortfolioStore } from './store.ts'

/** The portfolio of jobs that name none. */
const NAME = 'Data cleaning'

/** Throws a Refusal for a portfolio that the owner of the job may not add to. */
export const addResultsTo =
  (objects: ObjectAccess, portfolios: PortfolioStore, holdings: HoldingStore): AddResults =>
  async ({ owner, by, addTo }, results, engine, pace) => {
    const named = addTo === undefined ? null : objects.portfolio({ id: owner, person: by }, addTo, 'Add')
    const known = portfolios.list(owner, NAME, { limit: 1_000, offset: 0 }).find(({ name }) => name === NAME)
    const { id } = named ?? known ?? portfolios.create(owner, { name: NAME })
    for await (const { company: connectId, row } of readResults(results)) {
      const company = connectId === null ? null : engine.find(connectId)
      if (company !== null) holdings.add(id, company, { reference: String(row), freeText: '', personalLimit: '' })
      await pace()
    }
    return id
  }
