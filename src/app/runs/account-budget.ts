/** Refuses a run that could need more than the account of the service has left, before anything is recorded or sent. */
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import type { Plan } from '../../pipeline/index.ts'
import { accountWords, readAccount } from '../env/account.ts'
import { type Credentials, type Env, proxiesOf } from '../env/environment.ts'
import { mostCredits } from './spending.ts'

interface AccountSettings {
  readonly env: Env
  readonly credentials: () => Credentials
  readonly signal: AbortSignal
}

/** Throws FETTLE_BUDGET_ACCOUNT, and what a request throws: an account that cannot be read is no permission. */
export async function assertAccount(
  plan: Plan,
  { credentials, env, signal }: AccountSettings,
  most = mostCredits(plan),
): Promise<void> {
  if (plan.budget.account === undefined || plan.service.kind === 'embedded') return
  if (most === 0) return
  const found = await readAccount({ service: plan.service, credentials: credentials(), proxies: proxiesOf(env), signal })
  if (found !== null && found.left >= most) return
  throw new FettleError('FETTLE_BUDGET_ACCOUNT', `${plan.name} could need ${counted(most, 'credit')}: ${accountWords(found)}`)
}
