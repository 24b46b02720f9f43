/** One attempt at an operation that takes a file: the form built anew, its sending watched. It repeats nothing. */

import type { FormFile } from '../../model/requests.ts'
import type { Outcome } from '../retry/policy.ts'
import { type HttpRequest, sendOnce, type Wire } from './exchange.ts'
import { buildMultipart } from './multipart.ts'
import { watchSending } from './stall-detector.ts'

/** A form: its file with the name of that part, and its other fields. */
export interface Form {
  readonly name: string
  readonly file: FormFile
  readonly fields: Readonly<Record<string, string>>
}

/** Asks once with a form. Throws what the file itself threw: then the fault is not the connection's. */
export async function askWithFile<T>(question: HttpRequest<T>, { name, file, fields }: Form, wire: Wire): Promise<Outcome<T>> {
  const watch = watchSending(wire.limits)
  const { headers, body, sourceError } = buildMultipart(name, file, fields, wire.clock, watch)
  try {
    const outcome = await sendOnce({ ...question, headers, body, stall: watch.signal }, wire)
    if (outcome.type === 'loss' && sourceError() !== undefined) throw sourceError()
    return outcome
  } finally {
    watch.finished()
  }
}
