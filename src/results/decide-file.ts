/** Decides about the rows of a file that is there already, and compares the decisions with those that it has. Memory is constant. */
import { Decider, type Decision } from '../decide/decide.ts'
import { columnsOf, type DecisionTable } from '../decide/table.ts'
import { openSink } from '../files/atomic-file.ts'
import type { OutputFormat } from '../formats/index.ts'
import { openFormat } from '../formats/writers.ts'
import { readRows } from '../input/table/records.ts'
import { TEXT } from '../model/columns.ts'
import type { DecideCounts } from '../model/results.ts'
import type { InputFacts } from '../pipeline/model/types.ts'
import { DECISION_CELLS, DecisionCounter } from './decide-rows.ts'
import { sheetColumn } from './output/writers.ts'

const BATCH = 500
const EXAMPLES = 3

/** Rows about which the table decides otherwise than the file has it. */
export interface Flip {
  readonly from: string
  readonly to: string
  readonly rows: number
  /** The first rows, from 1. */
  readonly examples: readonly number[]
}

export interface DecidedFile {
  readonly counts: DecideCounts
  /** Null where the file has no column `decision`; most rows first. */
  readonly flips: readonly Flip[] | null
  /** Rows that cannot be judged, since the file lacks a column that the table reads, and these fields. */
  readonly lacking: { readonly rows: number; readonly fields: readonly string[] }
}

interface FileDecisions {
  readonly table: DecisionTable
  readonly path: string
  readonly asOf: string
  readonly root: string
  /** The columns of the file by other names than its header. */
  readonly names?: readonly string[]
  readonly output?: { readonly path: string; readonly format: OutputFormat } | null
  readonly signal?: AbortSignal
}

/** Throws FETTLE_INPUT_READ, FETTLE_OUTPUT_WRITE. */
export async function decideFile(facts: InputFacts, options: FileDecisions): Promise<DecidedFile> {
  const { table, path, asOf, root, output = null, signal } = options
  const header = facts.header ?? []
  const names = options.names ?? header
  const decider = new Decider(table, asOf)
  const places = decider.fields.map(
    field =>
      columnsOf(table, field)
        .map(name => names.indexOf(name))
        .find(at => at !== -1) ?? -1,
  )
  const lacks = new Set(decider.fields.filter((_, at) => places[at] === -1))
  const counter = new DecisionCounter(table, path, asOf)
  const decisionAt = names.indexOf('decision')
  const flips = new FlipCounter()
  const writer = output === null ? null : await openWriter(output, header, facts)
  const cells: (string | undefined)[] = []
  let [row, unjudged] = [0, 0]
  try {
    for await (const given of readRows(facts, root)) {
      if (++row % 1000 === 0) signal?.throwIfAborted()
      for (let at = 0; at < places.length; at++) cells[at] = given[places[at]!]
      const decision = decider.decide(cells)
      const number = row
      counter.add(decision, () => ({ row: number, key: null, name: '', company: { id: '', name: '' } }))
      if (decision.missing !== null && lacks.has(decision.missing)) unjudged++
      else if (decisionAt !== -1) flips.add(given[decisionAt] ?? '', decision.decision, row)
      const writing = writer?.add(given, decision)
      // A promise for every row would take a tenth of the time.
      if (writing !== undefined) await writing
    }
    await writer?.publish()
  } finally {
    await writer?.discard()
  }
  return {
    counts: counter.counts(),
    flips: decisionAt === -1 ? null : flips.found(),
    lacking: { rows: unjudged, fields: [...lacks] },
  }
}

class FlipCounter {
  readonly #flips = new Map<string, { from: string; to: string; rows: number; examples: number[] }>()

  add(from: string, to: string, row: number): void {
    if (from === to || from === '') return
    const id = `${from}\n${to}`
    const flip = this.#flips.get(id) ?? { from, to, rows: 0, examples: [] }
    this.#flips.set(id, flip)
    flip.rows++
    if (flip.examples.length < EXAMPLES) flip.examples.push(row)
  }

  found(): Flip[] {
    return [...this.#flips.values()].sort((a, b) => b.rows - a.rows)
  }
}

/** The columns of the file, without decisions that it has, and the new ones. */
async function openWriter(
  { path, format }: NonNullable<FileDecisions['output']>,
  header: readonly string[],
  { delimiter, packed }: InputFacts,
) {
  const own = [...header.keys()].filter(at => !Object.hasOwn(DECISION_CELLS, header[at]!))
  const names = [...own.map(at => header[at]!), ...Object.keys(DECISION_CELLS)]
  const added = Object.values(DECISION_CELLS)
  const { head, render, end } = await openFormat(
    format,
    {
      ...{ names, title: packed?.as === 'xlsx' ? packed.sheet : 'decisions', delimiter, types: names.map(() => TEXT) },
      sheetColumns: own.map(at => sheetColumn(packed, at)),
    },
    path,
  )
  const sink = await openSink(path, { isShared: true })
  let batch: string[][] = []
  await sink.write(Buffer.from(head))
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await sink.write(Buffer.from(render(batch)))
    batch = []
  }
  return {
    add(row: readonly string[], decision: Decision): Promise<void> | undefined {
      const cells = own.map(at => row[at] ?? '')
      for (const read of added) cells.push(read(decision))
      return batch.push(cells) === BATCH ? flush() : undefined
    },
    async publish(): Promise<void> {
      await flush()
      await sink.write(Buffer.from(end?.() ?? ''))
      await sink.finish()
      await sink.publish()
    },
    discard: () => sink.discard(),
  }
}
