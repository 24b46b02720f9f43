/**
 * The fault server's HTTP interface for programs in other languages: `POST /__faults` plans a list of faults, `GET` returns the
 * planned faults and how often each happened, `DELETE` ends them. Only a fault server has it, never a service (faults H37).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ZodError } from 'zod'
import { FettleError } from '../errors.ts'
import type { Armed, Arming } from './faults/fault-plan.ts'
import type { FaultInput } from './faults/fault-table.ts'
import { readWhole } from './upstream.ts'

export const CONTROL_PATH = '/__faults'

export interface Controlled {
  arm(faults: readonly FaultInput[]): Armed
  armed(): Arming
}

/** Answers one request of the control interface: 200 with the account, 400 with what is wrong, 405. */
export async function control(request: IncomingMessage, response: ServerResponse, { arm, armed }: Controlled): Promise<void> {
  const answer = (status: number, value: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  try {
    const text = (await readWhole(request)).toString('utf8')
    if (request.method === 'POST') arm(JSON.parse(text) as FaultInput[])
    else if (request.method === 'DELETE') armed().disarm()
    else if (request.method !== 'GET') return answer(405, { message: 'POST, GET or DELETE' })
    answer(200, armed().report())
  } catch (error) {
    const isClientError = error instanceof ZodError || error instanceof SyntaxError || FettleError.is(error)
    answer(isClientError ? 400 : 500, { message: isClientError ? (error as Error).message : 'the fault server failed' })
  }
}
