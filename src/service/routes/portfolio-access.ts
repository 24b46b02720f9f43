/** Who may do what with which portfolio: its owner everything, others what was shared with them (contract §8 row 49a). */
import type { Permission } from '../../contract/index.ts'
import { notFound, Refusal } from '../refusal.ts'
import type { Portfolio, PortfolioStore } from '../store/portfolios.ts'
import type { Call } from './operation.ts'

/** What a call must be allowed to do; deleting and sharing are the owner's alone. */
export type Need = Permission | 'Own'

const unknownPortfolio = (): Refusal => notFound('Portfolio resource')

/** Whether this user may do this with the portfolio; null when they may not even know of it. */
export function mayDo(portfolios: PortfolioStore, user: number, { id, owner }: Portfolio, need: Need): boolean | null {
  if (owner === user) return true
  const permissions = portfolios.shares(id).get(user)
  return permissions === undefined ? null : need !== 'Own' && permissions.includes(need)
}

/**
 * The portfolio a call names. Throws a 404 when there is none, or none this user may know of, and a 403 when they may know of it
 * and not do this.
 */
export function portfolioOf(
  portfolios: PortfolioStore,
  { user, params }: Pick<Call<unknown, unknown>, 'user' | 'params'>,
  ...needs: readonly Need[]
): Portfolio {
  const { portfolioId = '' } = params
  const portfolio = /^\d{1,15}$/.test(portfolioId) ? portfolios.find(Number(portfolioId)) : null
  if (portfolio === null) throw unknownPortfolio()
  const answers = needs.map(need => mayDo(portfolios, user.id, portfolio, need))
  if (answers.includes(null)) throw unknownPortfolio()
  if (answers.includes(false)) throw new Refusal(403, 'Access forbidden')
  return portfolio
}
