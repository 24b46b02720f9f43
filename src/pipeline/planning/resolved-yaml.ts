/** A plan as a YAML document, for the run directory: what was carried out, with every question answered. It holds no secret. */
import { stringify } from 'yaml'
import type { Plan } from '../model/types.ts'

/** The plan as YAML, the fingerprint first; without the profile, which is no part of what is carried out. */
export function resolvedYaml({ fingerprint, profile, ...plan }: Plan): string {
  const head = '# What this run carries out: the pipeline, resolved against its input. Written by fettle; nobody reads it back.\n'
  return head + stringify({ fingerprint, ...plan }, { aliasDuplicateObjects: false, lineWidth: 120 })
}
