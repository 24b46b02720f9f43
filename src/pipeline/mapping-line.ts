/** A line of `mappings:` to be copied into a pipeline file, for hints. It knows nothing of why it is given. */
import { stringify } from 'yaml'
import { hasHidden } from './show.ts'
import type { PlannedMapping } from './types.ts'

/** A name longer than this is no line any more. */
const LONG = 60

/** `orgNumber: { from: Reg No, pad: 8 }`; by index where the name cannot be typed, or is not the only one of its kind. */
export function mappingLine({ mapping, header, index, pad, trim }: PlannedMapping, headers: readonly string[] | null): string {
  const isName =
    header !== null &&
    header.trim() !== '' &&
    header.length <= LONG &&
    !hasHidden(header) &&
    headers?.filter(one => one === header).length === 1
  // A reference to a variable would be filled in.
  const name = header?.replaceAll('${', '$${')
  const column = isName ? { from: name } : { index }
  const rest = { ...(pad === null ? {} : { pad }), ...(trim ? { trim } : {}) }
  const value = isName && pad === null && !trim ? name : { ...column, ...rest }
  return `${mapping}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`
}
