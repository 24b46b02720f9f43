/** Joins the choices of shards to the one of their list: the fates of all rows and all earlier answers, in the order of the list. */
import type { ReuseCounts } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { noRows } from './choose.ts'
import type { AnswerSource } from './files/answers.ts'
import { Choice, ChoiceWriter, readChoice, readFates } from './files/choice.ts'

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
  let sent = 0
  const parts = shards
    .flatMap(({ plan }) => (plan.sent === 0 ? [] : plan.parts))
    .map(({ rows }) => {
      sent += rows
      return { from: sent - rows, rows }
    })
  return { counts: addCounts(shards), sent, parts, choice: await writeJoined(shards, workDir) }
}

function addCounts(shards: readonly ChosenShard[]): ReuseCounts {
  const all = shards.map(({ plan, counts }) => counts ?? { ...noRows(), asked: plan.sent, sent: plan.sent, fresh: plan.sent })
  const sum = noRows()
  for (const counts of all) for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name]
  return sum
}

async function writeJoined(shards: readonly ChosenShard[], workDir: string): Promise<string> {
  /** Shards of one folder name the same sources. */
  const numbers = new Map<string, number>()
  const numberSource = (source: AnswerSource): number => {
    const text = JSON.stringify(source)
    if (!numbers.has(text)) numbers.set(text, numbers.size)
    return numbers.get(text)!
  }
  const numbersOf = shards.map(({ plan: { known }, workDir: from }) =>
    known === undefined ? [] : readChoice(from, known.choice, ({ sources }) => sources.map(numberSource)),
  )
  const sources = [...numbers.keys()].map(text => JSON.parse(text) as AnswerSource)
  const writer = await ChoiceWriter.open(workDir, sources)
  try {
    for (const [at, { plan, workDir: from }] of shards.entries()) {
      const { known } = plan
      const fates = readFates(plan, from)
      for (let row = 0; row < (known?.sent ?? plan.sent); row++) writer.addFate(fates?.(row) ?? 'sent')
      if (known !== undefined) await addAnswers(writer, Choice.open(from, known.choice), numbersOf[at]!)
    }
    return await writer.publish()
  } finally {
    await writer.discard()
  }
}

/** Adds the answers of a choice, with the numbers that their sources have here, and closes it. */
async function addAnswers(writer: ChoiceWriter, choice: Choice, numbers: readonly number[]): Promise<void> {
  try {
    for (const { text } of choice.lines()) {
      const comma = text.indexOf(',')
      await writer.addLine(`[${numbers[Number(text.slice(1, comma))]}${text.slice(comma)}\n`)
    }
  } finally {
    choice.close()
  }
}
