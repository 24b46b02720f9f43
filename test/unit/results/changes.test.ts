/** Rows of two lists compared: by a model over random lists, and case by case. */
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CHANGE_KINDS, noChanges } from '../../../src/model/results.ts'
import { compareStates } from '../../../src/results/changes/compare.ts'
import { isDataColumn, type RowState, type RowStates } from '../../../src/results/changes/row-states.ts'

const statesOf = (rows: readonly RowState[], columns: readonly string[] = ['a', 'b'], by = 'key Id'): RowStates => ({
  head: { by, columns },
  rows: async function* () {
    yield* rows
  },
})

const row = (id: string, more: Partial<RowState> = {}): RowState => ({
  ...{
    row: 1,
    id,
    key: id,
    name: `name of ${id}`,
    question: `q${id}`,
    outcome: 'matched',
    decision: '',
    ruled: '',
    read: '',
    data: ['1', '2'],
  },
  company: { id: 'C1', name: 'Company 1' },
  ...more,
})
const none = { id: '', name: '' }

test.each([
  ['no change', row('x'), null],
  ['lost by the answer', row('x', { outcome: 'unmatched', company: none, data: [] }), ['lost', 'answer']],
  ['lost by the list', row('x', { question: 'other', outcome: 'review', company: none, data: [] }), ['lost', 'list']],
  ['another company', row('x', { company: { id: 'C2', name: 'Company 2' } }), ['moved', 'answer']],
  ['another company by the list', row('x', { question: 'y', company: { id: 'C2', name: '' } }), ['moved', 'list']],
  ['other data', row('x', { data: ['1', '3'] }), ['changed', 'company']],
  ['a duplicate of the same company', row('x', { outcome: 'duplicate' }), null],
  [
    'decided',
    row('x', { outcome: 'manualMatched', decision: 'accept C2', company: { id: 'C2', name: '' } }),
    ['decided', 'decision'],
  ],
  ['another question with the same answer', row('x', { question: 'other' }), null],
])('%s', async (_, after, expected) => {
  const found = (await compareStates(statesOf([row('x')]), statesOf([after])))!
  expect(found.rows.map(one => [one.kind, one.cause])).toEqual(expected === null ? [] : [expected])
  expect(found.rows.flatMap(one => one.columns)).toEqual(
    expected?.[0] === 'changed' ? [{ name: 'b', before: '2', after: '3' }] : [],
  )
})

test.each([
  ['unmatched', 'review', ['outcome', 'answer']],
  ['review', 'unmatched', ['outcome', 'answer']],
  ['unmatched', 'failed', ['outcome', 'answer']],
  ['review', 'review', null],
])('a row without a company: %s, then %s', async (before, after, expected) => {
  const open = (outcome: string): RowState => row('x', { outcome, company: none, data: [] })
  const found = (await compareStates(statesOf([open(before)]), statesOf([open(after)])))!
  expect(found.rows.map(one => [one.kind, one.cause])).toEqual(expected === null ? [] : [expected])
})

test('a row whose decision was taken back is lost or moved by a decision', async () => {
  const before = row('x', { outcome: 'manualMatched', decision: 'accept C1' })
  const found = await compareStates(statesOf([before]), statesOf([row('x', { outcome: 'review', company: none, data: [] })]))
  expect(found).toMatchObject({
    counts: { lost: 1, undone: 1 },
    rows: [
      { kind: 'lost', cause: 'decision' },
      { kind: 'undone', cause: 'decision' },
    ],
  })
})

const [LIST, OTHERS, CHANGED] = ['a', 'b', 'c'].map(digit => digit.repeat(16)) as [string, string, string]
const decidedOn = (by: string, ruled: string, more: Partial<RowState> = {}): RowState => row('x', { ruled, read: by, ...more })

test.each<[string, RowState, string | null]>([
  ['the same decision from other cells', decidedOn(CHANGED + CHANGED, 'accept a'), null],
  ['from the same cells', decidedOn(LIST + OTHERS, 'refer b'), 'rule'],
  ['from the same cells, and other data', decidedOn(LIST + OTHERS, 'refer b', { data: ['1', '3'] }), 'rule'],
  ['from a cell of the list that is not mapped', decidedOn(CHANGED + OTHERS, 'refer b'), 'list'],
  ['from other facts about the company, such as hits', decidedOn(LIST + CHANGED, 'refer b'), 'company'],
  ['from an answer with another company', decidedOn(LIST + CHANGED, 'refer b', { company: { id: 'C2', name: '' } }), 'answer'],
  [
    'from the answer to another question',
    decidedOn(LIST + CHANGED, 'refer b', { question: 'other', company: { id: 'C2', name: '' } }),
    'list',
  ],
  ['from what an output does not show', decidedOn('', 'refer b'), 'rule'],
])('decided otherwise %s', async (_, after, cause) => {
  const of = (rows: readonly RowState[]): RowStates => {
    const { head, ...rest } = statesOf(rows)
    return { head: { ...head, isDecided: true }, ...rest }
  }
  const before = decidedOn(after.read === '' ? '' : LIST + OTHERS, 'accept a')
  const causes = (found: Awaited<ReturnType<typeof compareStates>>) =>
    found!.rows.filter(({ kind }) => kind === 'ruled').map(change => change.cause)
  expect(causes(await compareStates(of([before]), of([after])))).toEqual(cause === null ? [] : [cause])
  // Its partner comes later.
  const others = ['y', 'z'].map(id => row(id))
  const later = await compareStates(of([before, ...others]), of([...others, after]))
  expect(causes(later)).toEqual(cause === null ? [] : [cause])
})

test('only columns that both have are compared, by name', async () => {
  const found = await compareStates(statesOf([row('x')], ['a', 'b']), statesOf([row('x', { data: ['2', '9'] })], ['b', 'c']))
  expect(found).toEqual({ counts: noChanges(), rows: [] })
  expect(
    ['*', 'match.score', 'general.connectId', 'general.rowNumber', 'answer.at', 'general.town'].filter(isDataColumn),
  ).toEqual(['general.town'])
})

test('rows by another key cannot be compared', async () => {
  expect(await compareStates(statesOf([], [], 'key A'), statesOf([], [], 'question'))).toBeNull()
})

/** Of a digest, as ids and questions are. */
const DIGITS = '0123456789abcdef'.repeat(2)

const list = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c', DIGITS, `${DIGITS.slice(1)}0`, `r${DIGITS.replace('f', '0')}`),
    question: fc.constantFrom('q1', 'q2', `r${DIGITS}`, `r${DIGITS.slice(1)}0`),
    company: fc.constantFrom('', 'C1', 'C2'),
    data: fc.constantFrom('x', 'y'),
    decision: fc.constantFrom('', '', 'accept C1'),
    open: fc.constantFrom('unmatched', 'review', 'failed'),
  }),
  { maxLength: 12 },
)

/** Rows with equal ids are paired in their order. */
function model(before: readonly RowState[], after: readonly RowState[]) {
  const numbered = (rows: readonly RowState[]) => {
    const seen = new Map<string, number>()
    return new Map(
      rows.map(one => {
        const times = seen.get(one.id) ?? 0
        seen.set(one.id, times + 1)
        return [`${one.id} ${times}`, one] as const
      }),
    )
  }
  const [was, is] = [numbered(before), numbered(after)]
  const counts = noChanges()
  for (const [id, now] of is) {
    const then = was.get(id)
    if (then === undefined) counts.new++
    else if (now.decision !== '' && (then.decision === '' || then.company.id !== now.company.id)) counts.decided++
    else if (then.company.id === '' && now.company.id !== '') counts.matched++
    else if (then.company.id !== '' && now.company.id === '') counts.lost++
    else if (then.company.id !== now.company.id) counts.moved++
    else if (then.company.id === '' && then.outcome !== now.outcome) counts.outcome++
    else if (then.company.id !== '' && then.data[0] !== now.data[0]) counts.changed++
    const isOther =
      then !== undefined && (then.company.id !== now.company.id || (then.company.id === '' && then.outcome !== now.outcome))
    if (isOther && then.decision !== '' && now.decision === '') counts.undone++
  }
  for (const id of was.keys()) if (!is.has(id)) counts.gone++
  return counts
}

test('counts what a plain comparison counts, for random lists with repeated ids; every row is listed up to the limit', async () => {
  type Random = Readonly<Record<'id' | 'question' | 'company' | 'data' | 'decision' | 'open', string>>
  const made = (rows: readonly Random[]): RowState[] =>
    rows.map(({ id, question, company, data, decision, open }, at) => ({
      ...{
        row: at + 1,
        id,
        key: id,
        name: '',
        question,
        outcome: company === '' ? open : 'matched',
        decision,
        ruled: '',
        read: '',
      },
      company: { id: company, name: '' },
      data: company === '' ? [] : [data],
    }))
  await fc.assert(
    fc.asyncProperty(list, list, fc.nat({ max: 3 }), async (a, b, most) => {
      const [before, after] = [made(a), made(b)]
      const expected = model(before, after)
      const found = (await compareStates(statesOf(before, ['a']), statesOf(after, ['a']), most))!
      expect(found.counts).toEqual(expected)
      for (const kind of CHANGE_KINDS)
        expect(found.rows.filter(one => one.kind === kind)).toHaveLength(Math.min(expected[kind], most))
      const all = (await compareStates(statesOf(before, ['a']), statesOf(after, ['a'])))!
      expect(all.rows).toHaveLength(Object.values(expected).reduce((sum, one) => sum + one, 0))
      const numbers = all.rows.flatMap(one => one.row ?? [])
      expect(numbers).toEqual(numbers.toSorted((x, y) => x - y))
    }),
  )
})

test('lists of any length are counted, with and without columns to compare', async () => {
  const rows = (from: number, to: number, town: string): RowState[] =>
    Array.from({ length: to - from }, (_, at) => row(String(from + at), { data: [town] }))
  const counts = async (columns: readonly string[]) =>
    (await compareStates(statesOf(rows(0, 9_000, 'Leeds'), columns), statesOf(rows(100, 9_050, 'York'), columns), 0))?.counts
  expect(await counts([])).toEqual({ ...noChanges(), new: 50, gone: 100 })
  expect(await counts(['general.town'])).toEqual({ ...noChanges(), new: 50, gone: 100, changed: 8_900 })
})

test('rows of a list in another order are listed with their states before and after, also of many that wait for their partner', async () => {
  const idOf = (at: number): string => hash('sha256', String(at)).slice(0, 32)
  const stateOf = (at: number, company: string): RowState =>
    row(idOf(at), { question: `r${idOf(at)}`, name: `before ${at}`, company: { id: company, name: `of ${at}` } })
  const before = Array.from({ length: 4_000 }, (_, at) => stateOf(at, 'C1'))
  // The other way round, without the first 5, with 5 others, and every 500th of another company.
  const after = Array.from({ length: 4_000 }, (_, at) => 4_004 - at).map((at, number) => ({
    ...stateOf(at, at % 500 === 0 ? 'C2' : 'C1'),
    ...{ row: number + 1, name: `after ${at}` },
  }))
  for (const most of [0, 3, Number.POSITIVE_INFINITY]) {
    const found = (await compareStates(statesOf(before), statesOf(after), most))!
    expect(found.counts).toEqual({ ...noChanges(), new: 5, gone: 5, moved: 7 })
    expect(found.rows.map(({ kind, name, before, after }) => [kind, name, before?.company.id, after?.company.id])).toEqual([
      ...[4_004, 4_003, 4_002, 4_001, 4_000]
        .slice(0, most)
        .map(at => ['new', `after ${at}`, undefined, at === 4_000 ? 'C2' : 'C1']),
      ...[3_500, 3_000, 2_500, 2_000, 1_500, 1_000, 500].slice(0, most).map(at => ['moved', `after ${at}`, 'C1', 'C2']),
      ...[0, 1, 2, 3, 4].slice(0, most).map(at => ['gone', `before ${at}`, 'C1', undefined]),
    ])
  }
})
