/** Writes a plan as YAML for the run directory. */
import { stringify } from 'yaml'
import type { Plan } from '../model/types.ts'

/** The fingerprint comes first; the profile is left out, since it is no part of the work. */
export function resolvedYaml({ fingerprint, profile, ...plan }: Plan): string {
  const head =
    '# The plan of this run: the pipeline, resolved against its input. Written by fettle for people; it is not read again.\n'
  return head + stringify({ fingerprint, ...plan }, { aliasDuplicateObjects: false, lineWidth: 120 })
}
