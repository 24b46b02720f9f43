/** A pipeline in its long form, with the defaults that depend on another key filled in. */
import { type Product, TAGS } from '../../contract/index.ts'
import { formatOfName } from '../../formats/index.ts'
import type { InputOptions, PlannedOutput } from '../model/types.ts'
import { addedColumns, defaultColumns } from './columns.ts'
import { type OutputPlaces, outputPath } from './paths.ts'
import type { PipelineFields } from './schema.ts'

export interface Pipeline extends Omit<PipelineFields, '$schema' | 'vars' | 'enrich' | 'output'> {
  readonly enrich: { readonly product: Product; readonly tags: readonly string[] } | null
  /** The tags of `enrich`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly output: PlannedOutput | null
}

export function inputOptionsOf({ input }: Pipeline): InputOptions {
  const { path, sql, encoding, delimiter, header, quotes, sheet, skip, sections, rejects } = input
  // The copy of a query is written by fettle: settings for the text of a file do not apply.
  if (sql !== undefined) return { path, sql, encoding: 'utf-8', delimiter: ',', header: true, quotes: 'strict', sheet: null }
  const inside = sections === 'skip' ? sections : undefined
  return { path, encoding, delimiter, header, quotes, sheet, skip, sections: inside, rejects: rejects?.max }
}

/** Absent, `enrich` is `basic` when there is an output to write to. Null tags stand for all of the product. */
export const chooseEnrichment = (enrich: PipelineFields['enrich'], hasOutput: boolean) =>
  enrich === undefined ? (hasOutput ? { product: 'basic' as const, tags: null, headers: undefined } : null) : enrich

/** Expects fields without errors. */
export function pipelineOf({ $schema, vars, enrich, output, ...given }: PipelineFields, places: OutputPlaces): Pipeline {
  const fields = { ...given, checks: [...given.checks, ...makeAuditChecks(given)] }
  const enrichment = chooseEnrichment(enrich, output !== null)
  if (enrichment === null) return { ...fields, enrich: null, output: null }
  const { product, tags, headers } = enrichment
  return {
    ...fields,
    enrich: { product, tags: tags ?? TAGS[product] },
    headers,
    output: output && {
      ...longOutput(output, defaultColumns(product, tags, shownColumns(fields)), places),
      rejects: fields.input.rejects === null ? undefined : outputPath(fields.input.rejects.file, places.base),
    },
  }
}

function makeAuditChecks({ audit }: Pick<PipelineFields, 'audit'>): PipelineFields['checks'] {
  if (!hasThresholds(audit)) return []
  const { warn, fail } = audit
  return [{ name: 'doubtful', warn, fail }]
}

/** A map without a register is the check `doubtful`. */
export const hasThresholds = (
  audit: PipelineFields['audit'] | undefined,
): audit is Exclude<PipelineFields['audit'], true | null> =>
  audit != null && audit !== true && (audit.register === null || audit.warn !== null || audit.fail !== null)

/** Searches alone change no output: their columns are asked for, or decisions are shown by them. */
const shownColumns = ({
  decide,
  dedupe,
  audit,
  screen,
}: Pick<PipelineFields, 'decide' | 'dedupe' | 'audit' | 'screen'>): readonly string[] => [
  ...addedColumns({ decide, dedupe, audit }),
  ...(screen?.decisions === undefined ? [] : ['screen.state', 'screen.hits', 'screen.why']),
]

function longOutput(
  output: NonNullable<PipelineFields['output']>,
  columns: readonly string[],
  { roots, base, named }: OutputPlaces,
): PlannedOutput {
  const { onFail, names, columns: chosen, table, ...rest } = output
  const rename = (chosen ?? []).flatMap(({ from, as }) => (as === null ? [] : [[from, as]]))
  return {
    ...rest,
    path: outputPath(output.path, base),
    unmatched: output.unmatched && outputPath(output.unmatched, base),
    review: output.review && outputPath(output.review, base),
    // The server reads text between tabs.
    format: table === null ? (output.format ?? formatOfName(output.path) ?? 'csv') : 'tsv',
    table: table ?? undefined,
    columns: chosen?.map(({ from }) => from) ?? columns,
    rename: rename.length === 0 ? undefined : Object.fromEntries(rename),
    names: names === 'snake' ? names : undefined,
    onFail: onFail === 'replace' ? onFail : undefined,
    isAnywhere: output.path === named || undefined,
    roots: roots.length === 0 ? undefined : roots,
  }
}
