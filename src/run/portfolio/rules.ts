/** Sets the rules of a portfolio, country by country: the list of a country is read, and sent only when it differs. */
import { FettleError } from '../../errors.ts'
import type { PortfolioState } from '../../journal/index.ts'
import type { PortfolioRule } from '../../model/requests.ts'
import type { PlannedPortfolio, PlannedRule } from '../../pipeline/model/types.ts'
import type { Ports } from '../ports.ts'
import type { StageEvents } from '../stage.ts'

export const hasRules = ({ rules = {} }: PlannedPortfolio, state: PortfolioState): boolean =>
  Object.keys(rules).every(country => state.rules[country] !== undefined)

/** Setting a rule twice does no harm, so a kill between request and event needs no look. */
export async function* setRules(plan: PlannedPortfolio, state: PortfolioState, portfolio: number, ports: Ports): StageEvents {
  for (const [country, wanted] of Object.entries(plan.rules ?? {})) {
    if (state.rules[country] !== undefined) continue
    const present = await ports.portfolios.readRules(portfolio, country, { signal: ports.signal })
    const rules = wantedRules(country, wanted, present)
    const changed = rules.some((rule, place) => !isSame(rule, present[place]!))
    if (changed) await ports.portfolios.setRules(portfolio, country, rules, { signal: ports.grace })
    yield { type: 'portfolio.ruled', country, active: rules.filter(({ active }) => active).length, changed }
  }
}

/** Every rule of the country, on or off. Throws FETTLE_PORTFOLIO for a rule that the service does not have. */
function wantedRules(
  country: string,
  wanted: 'default' | readonly PlannedRule[],
  present: readonly PortfolioRule[],
): readonly PortfolioRule[] {
  if (wanted === 'default') return present.map(rule => ({ ...rule, active: true }))
  const unknown = wanted.find(({ code }) => !present.some(rule => rule.code === code))
  if (unknown !== undefined) {
    const codes = present.map(({ code }) => code).join(', ')
    throw new FettleError('FETTLE_PORTFOLIO', `portfolio.rules: the service has no rule ${unknown.code} of ${country}`, {
      hint: codes === '' ? `It has no rules of ${country}.` : `Choose from ${codes}.`,
    })
  }
  return present.map(rule => {
    const own = wanted.find(({ code }) => code === rule.code)
    if (own === undefined) return { ...rule, active: false }
    const [one, two, three] = rule.params
    return { ...rule, active: true, params: [own.param0 ?? one, own.param1 ?? two, own.param2 ?? three] }
  })
}

const isSame = (one: PortfolioRule, other: PortfolioRule): boolean =>
  one.active === other.active && (!one.active || one.params.join('\n') === other.params.join('\n'))
