/** The share of a list that is in the registers, without a running service. */
import { turnEvery } from '../loop-turns.ts'
import { systemClock } from './clock.ts'
import { shareOf } from './data-cleaning/processing/estimate-share.ts'
import { presence, type Query } from './matching/index.ts'
import { chooseRegisters, importSample, openRegister, SAMPLE } from './registers/index.ts'

export { appliedShare } from './matching/index.ts'

/** `names`: as in ServeOptions; the share is the one that a job of the same rows estimates. Throws what `serve` throws about registers. */
export async function shareOfRows(registerDir: string, names: readonly string[], rows: AsyncIterable<Query>): Promise<number> {
  const chosen = (await chooseRegisters(registerDir, names)).map(({ name }) => name)
  if (chosen.includes(SAMPLE)) await importSample(registerDir, systemClock)
  const { index, officers } = await openRegister(registerDir, chosen)
  officers.close()
  return shareOf(rows, { presence: query => presence(index, query) }, turnEvery())
}
