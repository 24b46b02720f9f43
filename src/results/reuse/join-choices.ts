/** Joins the chosen rows of shards to those of their list: the fates of all rows, and all earlier answers, in the order of the list. */
import { join } from 'node:path'
import { openSink } from '../../files/atomic-file.ts'
import { KnownBits, readKnownBits } from '../../input/upload/known-rows.ts'
import type { ReuseCounts } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { REUSED_FILE } from '../file-names.ts'
import { ReusedAnswers } from './reused-answers.ts'

/** A shard: its plan, which is that of the rows that go up once they are chosen. `counts`: null where it sent all rows. */
export interface ChosenShard {
  readonly workDir: string
  readonly plan: Plan
  readonly counts: ReuseCounts | null
}

export interface JoinedChoice {
  readonly counts: ReuseCounts
  readonly sent: number
  readonly parts: Plan['parts']
  readonly answers: string
  readonly bits: string
}

const BATCH = 500

/** Writes the two files of a run that joins the shards to `workDir`. Throws FETTLE_OUTPUT_WRITE. */
export async function joinChoices(shards: readonly ChosenShard[], workDir: string): Promise<JoinedChoice> {
  const counts = sumOf(shards)
  let from = 0
  const parts = shards
    .flatMap(({ plan }) => (plan.sent === 0 ? [] : plan.parts))
    .map(({ rows }) => {
      from += rows
      return { from: from - rows, rows }
    })
  return { counts, sent: from, parts, answers: await joinAnswers(shards, workDir), bits: await joinBits(shards, workDir) }
}

function sumOf(shards: readonly ChosenShard[]): ReuseCounts {
  const all = shards.map(({ plan, counts }) => counts ?? { ...NONE, asked: plan.sent, sent: plan.sent, fresh: plan.sent })
  const names = Object.keys(NONE) as (keyof ReuseCounts)[]
  return Object.fromEntries(names.map(name => [name, all.reduce((sum, one) => sum + one[name], 0)])) as unknown as ReuseCounts
}

const NONE: ReuseCounts = {
  ...{ asked: 0, known: 0, sent: 0, repeated: 0 },
  ...{ fresh: 0, changed: 0, tooOld: 0, lacking: 0, refreshed: 0 },
}

async function joinBits(shards: readonly ChosenShard[], workDir: string): Promise<string> {
  const joined = new KnownBits()
  for (const { plan, workDir: own } of shards) {
    const bits = plan.known === undefined ? null : await readKnownBits(own, plan.known.bits)
    const asked = plan.known?.sent ?? plan.sent
    for (let row = 0; row < asked; row++) joined.add(bits?.fate(row) ?? 'sent')
  }
  return joined.write(workDir)
}

async function joinAnswers(shards: readonly ChosenShard[], workDir: string): Promise<string> {
  const known = shards.flatMap(({ plan, workDir: own }) =>
    plan.known === undefined ? [] : [{ own, sha256: plan.known.answers }],
  )
  /** Shards of one store name the same sources. */
  const numbers = new Map<string, number>()
  const heads: number[][] = []
  for (const { own, sha256 } of known) {
    const answers = new ReusedAnswers(own, sha256)
    const texts = (await answers.sources()).map(source => JSON.stringify(source))
    for (const text of texts) if (!numbers.has(text)) numbers.set(text, numbers.size)
    heads.push(texts.map(text => numbers.get(text)!))
    await answers.close()
  }
  const sink = await openSink(join(workDir, REUSED_FILE))
  try {
    let batch = [`{"sources":[${[...numbers.keys()].join(',')}]}\n`]
    for (const [at, { own, sha256 }] of known.entries()) {
      const answers = new ReusedAnswers(own, sha256)
      for await (const [source, rest] of answers.lines()) {
        batch.push(`[${heads[at]![source]},${rest}\n`)
        if (batch.length < BATCH) continue
        await sink.write(Buffer.from(batch.join('')))
        batch = []
      }
    }
    await sink.write(Buffer.from(batch.join('')))
    const sha256 = await sink.finish()
    await sink.publish()
    return sha256
  } finally {
    await sink.discard()
  }
}
