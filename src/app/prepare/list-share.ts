/** How much of a list the registers of the embedded service have: its answers depend on it. */
import { sentRows } from '../../input/index.ts'
import type { Plan } from '../../pipeline/index.ts'
import { dataDirOf, type Env } from '../env/environment.ts'
import { registerDirOf } from './registers.ts'

/** Estimated from all rows as they are sent; null for a remote service. */
export async function listShare(plan: Plan, env: Env, root: string): Promise<number | null> {
  if (plan.service.kind === 'remote') return null
  const { shareOfRows } = await import('../../service/list-share.ts')
  const names = (plan.register ?? []).map(({ name }) => name)
  return shareOfRows(registerDirOf(dataDirOf(env)), names, sentRows(plan, root))
}
