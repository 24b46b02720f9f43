/** An output that the command line names gives its name to `unmatched` and `review`: a trial must not replace those of the pipeline. */
import { isAddress } from './schema/addresses.ts'
import type { PipelineFields } from './schema/schema.ts'

export function withNamedOutput(fields: Partial<PipelineFields>, named: string | null | undefined): Partial<PipelineFields> {
  const { output } = fields
  if (output == null || named == null) return fields
  const stem = named.replace(/^.*[/\\]/, '').replace(/(?!^)(\.[^.]*)?(\.gz)?$/i, '')
  const other = (key: 'unmatched' | 'review'): string | null => {
    const path = output[key] ?? null
    const [, folder = '', ending = ''] = /^(.*\/)?[^/]+?((?:\.[^./]*)?(?:\.gz)?)$/is.exec(path ?? '') ?? []
    // The address of an https object has no other name.
    if (path === null || (isAddress(path) && !path.startsWith('s3:'))) return null
    return path.endsWith('/') ? path : `${folder}${stem}-${key}${ending}`
  }
  return { ...fields, output: { ...output, unmatched: other('unmatched'), review: other('review') } }
}
