/** Why an input cannot be sent byte for byte, in words. */
import { count, counted } from '../../counted.ts'
import type { InputFacts, Packing, Plan, PlannedMapping, Shard } from '../model/types.ts'
import { show } from '../source/quote.ts'
import type { PlannedRows } from './planned-rows.ts'
import { shardText } from './shards.ts'

const unpacking = (packed: Packing): string =>
  packed.as === 'gzip'
    ? 'unpacked from gzip'
    : packed.as === 'xlsx'
      ? `the sheet ${show(packed.sheet)} as text`
      : packed.as === 'parquet'
        ? 'the rows of Parquet as text'
        : 'JSON lines as CSV'

export function preparationOf(
  facts: InputFacts,
  mappings: readonly PlannedMapping[],
  { rows, sent, skipped, collapse }: PlannedRows & Pick<Plan, 'collapse'>,
  { shard, send }: { readonly shard?: Shard | undefined; readonly send?: Plan['send'] | null } = {},
): string[] {
  const padded = mappings.filter(one => one.pad !== null).map(one => `pad ${one.mapping} to ${one.pad} digits`)
  return [
    ...(facts.files === undefined ? [] : [`${counted(facts.files.length, 'file')} as one list`]),
    ...(facts.packed === undefined ? [] : [unpacking(facts.packed)]),
    ...(facts.encoding === 'utf-8' ? [] : [`encoding ${facts.encoding}`]),
    ...(facts.quotes === 'relaxed' ? ['quotes: relaxed'] : []),
    ...(facts.skipped === undefined ? [] : [skippedInWords(facts.skipped)]),
    ...padded,
    ...mappings.filter(one => one.trim).map(one => `trim ${one.mapping}`),
    ...mappings.filter(one => one.value !== undefined).map(one => `${one.mapping} ${show(one.value!)} in every row`),
    ...(send === 'mapped' ? ['only the mapped columns'] : []),
    ...(collapse ? [`${sent} different rows of ${rows - skipped}`] : []),
    ...(skipped === 0 ? [] : [`without ${counted(skipped, 'empty row')}`]),
    ...(shard !== undefined
      ? [`shard ${shardText(shard)}: rows ${shard.from + 1} to ${shard.from + rows} of ${facts.rows}`]
      : []),
    ...(shard === undefined && rows < facts.rows ? [`the first ${count(rows)} of ${counted(facts.rows, 'row')}`] : []),
  ]
}

const skippedInWords = ({ head, tail }: { readonly head: number; readonly tail: number }): string =>
  `without ${[head > 0 ? `${linesOf(head)} above` : '', tail > 0 ? `${linesOf(tail)} below` : ''].filter(one => one !== '').join(' and ')} the table`

const linesOf = (count: number): string => counted(count, 'line')
