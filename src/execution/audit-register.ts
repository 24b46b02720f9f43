/** The registers of an audit, on this machine. */
import type { Env } from '../env/environment.ts'
import type { Issue } from '../errors.ts'
import type { Plan, PlannedRegister } from '../pipeline/index.ts'
import { findRegisters, registersHere } from '../prepare/registers.ts'
import type { AuditRegister } from '../results/audit.ts'
import { changedRegisters } from './service-connection.ts'

/** Throws as findRegisters and openRegister do. */
export async function openAuditRegister(planned: readonly PlannedRegister[], env: Env): Promise<AuditRegister> {
  const { openRegister } = await import('../service/registers/index.ts')
  const { dir, names } = await registersHere({}, { env, register: planned.map(({ name }) => name) })
  const { index, pages, officers } = await openRegister(dir, names)
  officers.close()
  return { index, close: () => pages?.close() }
}

/** A warning for each register of the audit that was imported again since the run was planned. Throws as findRegisters does. */
export async function changedAuditRegisters({ auditRegister = [] }: Plan, env: Env): Promise<Issue[]> {
  if (auditRegister.length === 0) return []
  const names = auditRegister.map(({ name }) => name)
  return changedRegisters(auditRegister, (await findRegisters(env, names)).registers)
}
