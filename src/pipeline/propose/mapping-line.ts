/** Formats a line of `mappings:` for hints, to be copied into a pipeline file. */

import { stringify } from 'yaml'
import { defined } from '../../defined.ts'
import type { PlannedMapping } from '../model/types.ts'
import { literal } from '../source/interpolate.ts'
import { hasHidden } from '../source/quote.ts'

const LONG = 60

/** A value on one line. Without `blockQuote: false` a text such as `--- a` would become a block, which is wrong behind a key. */
export const flow = (value: unknown): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, blockQuote: false }).trim()

/** A column as a pipeline names it: its header; its index where the header cannot be typed, or is not the only one of its kind. */
export function columnReference(header: string | null, index: number, headers: readonly string[] | null) {
  const isName =
    header !== null &&
    header.trim() !== '' &&
    header.length <= LONG &&
    !hasHidden(header) &&
    headers?.filter(other => other === header).length === 1
  return isName ? literal(header) : { index }
}

export function mappingLine({ mapping, header, index, pad, trim }: PlannedMapping, headers: readonly string[] | null): string {
  const reference = columnReference(header, index, headers)
  const column = typeof reference === 'string' ? { from: reference } : reference
  const rest = defined({ pad: pad ?? undefined, trim: trim || undefined })
  const value = typeof reference === 'string' && pad === null && !trim ? reference : { ...column, ...rest }
  return `${mapping}: ${flow(value)}`
}
