/** The registers of an audit, on this machine. */
import type { Env } from '../env/environment.ts'
import type { PlannedRegister } from '../pipeline/index.ts'
import { registersHere } from '../prepare/registers.ts'
import type { AuditRegister } from '../results/audit.ts'

/** Throws as findRegisters and openRegister do. */
export async function openAuditRegister(planned: readonly PlannedRegister[], env: Env): Promise<AuditRegister> {
  const { openRegister } = await import('../service/registers/index.ts')
  const { dir, names } = await registersHere({}, { env, register: planned.map(({ name }) => name) })
  const { index, pages, officers } = await openRegister(dir, names)
  officers.close()
  return { index, close: () => pages?.close() }
}
