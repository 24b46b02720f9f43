/** Sends one attempt of an operation with a file: builds the form, and stops when no bytes are sent for a while. */

import type { FormFile } from '../../model/requests.ts'
import type { Outcome } from '../retry/policy.ts'
import { type HttpRequest, sendOnce, type Wire } from './exchange.ts'
import { buildMultipart } from './multipart.ts'
import { watchSending } from './stall-detector.ts'

/** `name` is the field of the file. */
export interface Form {
  readonly name: string
  readonly file: FormFile
  readonly fields: Readonly<Record<string, string>>
}

/** Throws the error of the file itself, when that is why sending failed. */
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
