/** Lists as other systems export them: what `init` maps is right, what is not certain is asked about, and nothing is mapped wrongly. */
import { expect, test } from 'vitest'
import { inspectColumns, proposeFor } from '../../../src/prepare/propose.ts'
import { file } from '../input/kit.ts'
import { cellOf, EXPORTS, type Export, ROWS } from './exports.ts'

interface Judged {
  readonly right: number
  readonly asked: number
  readonly missed: readonly string[]
  readonly wrong: readonly string[]
}

async function judge({ land, columns }: Export): Promise<Judged> {
  const rows = Array.from({ length: ROWS }, (_, n) => columns.map(({ kind }) => cellOf(kind, land, n)))
  const text = [columns.map(({ header }) => header), ...rows].map(row => row.join(';')).join('\n')
  const skip = { head: 'auto', tail: 'auto' } as const
  const how = { path: file(`${text}\n`, 'list.csv'), encoding: 'auto', delimiter: 'auto', header: true, sheet: null, skip }
  const proposal = await proposeFor(await inspectColumns(how, '', new AbortController().signal), new Map())
  let [right, asked] = [0, 0]
  const [missed, wrong]: [string[], string[]] = [[], []]
  for (const { column, status, target, why } of proposal.columns) {
    const expected = columns[column.index]!
    const found = status === 'mapped' ? target! : '-'
    const said = `${expected.header}: ${found} instead of ${expected.right.join(' or ')} (${why})`
    if (status === 'unsure') asked++
    else if (expected.right.includes(found)) right++
    else if (found === '-') missed.push(said)
    else wrong.push(said)
  }
  return { right, asked, missed, wrong }
}

test.each(EXPORTS)('no column of $of is mapped wrongly', async list => {
  const { wrong } = await judge(list)
  expect(wrong).toEqual([])
})

test('of all columns, 95 of 100 are right or asked about', async () => {
  const judged = await Promise.all(EXPORTS.map(judge))
  const count = judged.reduce((sum, { right, asked }) => sum + right + asked, 0)
  const all = EXPORTS.reduce((sum, { columns }) => sum + columns.length, 0)
  expect(count / all, judged.flatMap(({ missed }) => missed).join('\n')).toBeGreaterThanOrEqual(0.95)
})
