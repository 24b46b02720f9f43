/** Joins the choices of shards to the one of their list: the fates of all rows and all earlier answers, in the order of the list. */
import type { ReuseCounts } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { AnswerSource } from './files/answers.ts'
import { Choice, ChoiceWriter } from './files/choice.ts'

/** A shard: its plan, which is about the rows to send once they are chosen. `counts`: null where it sent all rows. */
export interface ChosenShard {
  readonly workDir: string
  readonly plan: Plan
  readonly counts: ReuseCounts | null
}

export interface JoinedChoice {
  readonly counts: ReuseCounts
  readonly sent: number
  readonly parts: Plan['parts']
  readonly choice: string
}

/** Writes the choice of a run that joins the shards to `workDir`. Throws FETTLE_OUTPUT_WRITE. */
export async function joinChoices(shards: readonly ChosenShard[], workDir: string): Promise<JoinedChoice> {
  let from = 0
  const parts = shards
    .flatMap(({ plan }) => (plan.sent === 0 ? [] : plan.parts))
    .map(({ rows }) => {
      from += rows
      return { from: from - rows, rows }
    })
  return { counts: sumOf(shards), sent: from, parts, choice: await writeJoined(shards, workDir) }
}

const NONE: ReuseCounts = {
  ...{ asked: 0, known: 0, sent: 0, repeated: 0 },
  ...{ fresh: 0, changed: 0, tooOld: 0, lacking: 0, refreshed: 0 },
}

function sumOf(shards: readonly ChosenShard[]): ReuseCounts {
  const all = shards.map(({ plan, counts }) => counts ?? { ...NONE, asked: plan.sent, sent: plan.sent, fresh: plan.sent })
  const names = Object.keys(NONE) as (keyof ReuseCounts)[]
  return Object.fromEntries(names.map(name => [name, all.reduce((sum, one) => sum + one[name], 0)])) as unknown as ReuseCounts
}

const open = ({ plan: { known }, workDir }: ChosenShard): Promise<Choice> | null =>
  known === undefined ? null : Choice.open(workDir, known.choice)

async function writeJoined(shards: readonly ChosenShard[], workDir: string): Promise<string> {
  /** Shards of one folder name the same sources. */
  const numbers = new Map<string, number>()
  for (const shard of shards) {
    const choice = await open(shard)
    for (const source of choice?.sources ?? []) {
      const text = JSON.stringify(source)
      if (!numbers.has(text)) numbers.set(text, numbers.size)
    }
    await choice?.close()
  }
  const writer = await ChoiceWriter.open(
    workDir,
    [...numbers.keys()].map(text => JSON.parse(text) as AnswerSource),
  )
  try {
    for (const shard of shards) {
      const choice = await open(shard)
      try {
        await addShard(writer, shard, choice, source => numbers.get(JSON.stringify(source))!)
      } finally {
        await choice?.close()
      }
    }
    return await writer.publish()
  } finally {
    await writer.discard()
  }
}

async function addShard(
  writer: ChoiceWriter,
  { plan }: ChosenShard,
  choice: Choice | null,
  numberOf: (source: AnswerSource) => number,
): Promise<void> {
  const fates = await choice?.fates()
  const rows = plan.known?.sent ?? plan.sent
  for (let row = 0; row < rows; row++) writer.addFate(fates?.fate(row) ?? 'sent')
  if (choice === null) return
  for await (const { text } of choice.lines()) {
    const comma = text.indexOf(',')
    const source = choice.sources[Number(text.slice(1, comma))]!
    await writer.addLine(`[${numberOf(source)}${text.slice(comma)}\n`)
  }
}
