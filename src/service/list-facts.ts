/** How much of a list is in the registers and whether its company numbers are reliable, without a running service. */
import { turnEvery } from '../loop-turns.ts'
import { systemClock } from './clock.ts'
import { factsOf } from './data-cleaning/processing/estimate-facts.ts'
import { type ListFacts, type Query, rowEvidence } from './matching/index.ts'
import { chooseRegisters, importSample, openRegister, SAMPLE } from './registers/index.ts'

export { appliedShare } from './matching/index.ts'

/** `names`: as in ServeOptions; the facts are those that a job of the same rows estimates. Throws what `serve` throws about registers. */
export async function factsOfRows(registerDir: string, names: readonly string[], rows: AsyncIterable<Query>): Promise<ListFacts> {
  const chosen = (await chooseRegisters(registerDir, names)).map(({ name }) => name)
  if (chosen.includes(SAMPLE)) await importSample(registerDir, systemClock)
  const { index, pages, officers } = await openRegister(registerDir, chosen)
  officers.close()
  return factsOf(rows, { rowEvidence: query => rowEvidence(index, query) }, turnEvery()).finally(() => pages?.close())
}
