/** Shards of one list that were matched against different registers, or different imports of one. */
import { shardText } from '../../pipeline/index.ts'
import { registersOf, snapshotText } from '../../report/service-words.ts'
import type { ShardRun } from '../runs/shard-runs.ts'

interface Answered {
  readonly shard: string
  readonly runId: string
  readonly registers: NonNullable<ReturnType<typeof registersOf>>
}

export interface Difference {
  readonly message: string
  readonly hint: string
}

/** What the registers of the shards differ in; shards whose registers are unknown are not compared. */
export function registerDifferences(shards: readonly ShardRun[]): readonly Difference[] {
  const [first, ...others] = shards.flatMap(({ state }): Answered[] => {
    const { plan, runId } = state
    const registers = registersOf(state)
    return registers === null || plan.shard === undefined ? [] : [{ shard: shardText(plan.shard), runId, registers }]
  })
  if (first === undefined) return []
  const other = others.find(one => namesOf(one) !== namesOf(first))
  const named = (one: Answered): string => `shard ${one.shard} (run ${one.runId})`
  const names =
    other === undefined
      ? []
      : [
          {
            message: `${named(other)} was matched against ${namesOf(other)}, and ${named(first)} against ${namesOf(first)}`,
            hint: 'Run the shard again against the same registers, or join them as they are.',
          },
        ]
  return [...names, ...importsOf(first, others)]
}

const importsOf = (first: Answered, others: readonly Answered[]): Difference[] =>
  first.registers.flatMap(register => {
    const { name, sha256 } = register
    const isOther = (one: typeof register): boolean => one.name === name && one.sha256 !== sha256
    const other = others.find(({ registers }) => registers.some(isOther))
    const changed = other?.registers.find(isOther)
    if (other === undefined || changed === undefined) return []
    const then = `its snapshot is of ${snapshotText(register, changed)} in shard ${first.shard} and of ${snapshotText(changed, register)} in shard ${other.shard}`
    return [
      {
        message: `shards used different imports of the register ${name}: ${then}`,
        hint: 'Start new runs of the shards of one import, or join them as they are.',
      },
    ]
  })

const namesOf = ({ registers }: Answered): string => {
  const names = [...new Set(registers.map(({ name }) => name))]
  return `the ${names.length === 1 ? 'register' : 'registers'} ${names.join(', ')}`
}
