/** Everything worked, the data did not pass. */
import { action, entry, notice } from './entry.ts'

// biome-ignore format: a table reads best with one row a line
export const CHECKS = {
  FETTLE_CHECK_FAILED: entry('checks', 'A threshold of `checks:` was not met.', 'Look at the rows named in the report, or change the threshold.'),
  FETTLE_FEW_MATCHED: notice('checks', 'No row was matched, or of twenty rows or more fewer than one in twenty.', 'Check that the mappings name the right columns and that the registers hold companies of these countries.'),
  FETTLE_BUDGET_CREDITS: entry('checks', 'Enriching would cost more credits than `budget.credits` allows; it was not started.', 'Raise budget.credits and run again, which repeats the matching; or send fewer rows.'),
  FETTLE_BUDGET_MONTH: entry('checks', 'The run could exceed `budget.month` together with the other runs of the month; nothing was sent.', 'Limit the run with budget.credits, raise budget.month, or wait for the next month.', action('costs', '--month', 'this', '--by', 'run')),
  FETTLE_BUDGET_ACCOUNT: entry('checks', 'The run could need more than the account of the service has left; nothing was sent.', 'Limit the run with budget.credits, ask the service for more, or remove budget.account.', action('plan', 'PIPELINE')),
  FETTLE_BUDGET_SCREEN: entry('checks', 'Screening all companies would cost more credits than `screen.budget` allows; screening stopped at the budget.', 'Raise screen.budget before the next run; finished searches stay at the service.'),
  FETTLE_EVENTS_UNMARKED: notice('checks', 'Events were not marked as processed at the service.', 'Nothing: no later run of the pipeline writes them again. Set events.mark: false if the service has no such operation.'),
  FETTLE_PORTFOLIO_KEPT: notice('checks', 'Companies that are gone from the list were not removed from the portfolio.', 'Check that the list is complete; if it is, raise portfolio.remove.max.'),
  FETTLE_CANDIDATES: entry('checks', 'Not all rows were asked about, for which the pipeline wants candidates.', 'Raise candidates.limit or candidates.budget; rows that were decided about are not asked about again.'),
} as const
