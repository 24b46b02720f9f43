/** `accept`: the decision by band and pattern, and what it does to the rows of an output. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MatchExample, PLACEMENTS, type Placement, type Question } from '../../../src/model/results.ts'
import type { Plan, PlannedAccept } from '../../../src/pipeline/model/types.ts'
import { acceptMatch, findLetter } from '../../../src/results/accept.ts'
import type { Decision } from '../../../src/results/decisions/decision.ts'
import { Decisions } from '../../../src/results/decisions/decisions.ts'
import { openResults } from '../../../src/results/index.ts'
import { questionMaker } from '../../../src/results/questions.ts'
import { MatchCounter } from '../../../src/results/row-totals.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, folder, planOf, text } from '../input/kit.ts'

const rules = (rest: Partial<PlannedAccept> = {}): PlannedAccept => ({
  banding: ['A', 'B'],
  review: ['C', 'D'],
  pattern: null,
  ...rest,
})

describe('the decision', () => {
  it.each<[string, Partial<PlannedAccept> | null, string, string, Placement]>([
    ['no rules', null, 'F', '', 'matched'],
    ['an accepted band', {}, 'A', '', 'matched'],
    ['a band in other case and with spaces', {}, ' b ', '', 'matched'],
    ['a band for review', {}, 'C', '', 'review'],
    ['any other band', {}, 'E', '', 'unmatched'],
    ['no band', {}, '', '', 'review'],
    ['a list of bands for review alone', { banding: null }, 'E', '', 'matched'],
    ['letters that the pattern has', { pattern: { name: 'AB' } }, 'A', 'name B | postcode F', 'matched'],
    ['letters that it has not', { pattern: { name: 'AB', postcode: 'A' } }, 'A', 'name B | postcode F', 'review'],
    ['a part that it does not name', { pattern: { vat: 'A' } }, 'A', 'name B', 'review'],
    ['a pattern of a band left out', { pattern: { name: 'A' } }, 'E', 'name A', 'unmatched'],
  ])('with %s', (_, given, banding, pattern, expected) => {
    expect(acceptMatch(given && rules(given), { banding, pattern }).outcome).toBe(expected)
  })

  it.each([
    ['name A | postcode B', 'postcode', 'B'],
    ['Name=a, Post Code = b', 'postCode', 'B'],
    ['{"name":"A","town":"C"}', 'town', 'C'],
    ['number+name+postcode', 'name', 'A'],
    ['AAFZ', '3', 'F'],
    ['AAFZ', '9', null],
    ['name A', '1', null],
    ['name A', 'town', null],
    ['', 'name', null],
  ])('reads %j for %j as %j', (pattern, part, letter) => expect(findLetter(pattern, part)).toBe(letter))

  const band = fc.constantFrom('A', 'B', 'C', 'D', 'E', '')
  const pattern = fc.constantFrom('name A', 'name B', 'name F | postcode A', 'AB', '', 'name+postcode')
  const someRules = fc.option(
    fc.record({
      banding: fc.option(fc.uniqueArray(fc.constantFrom('A', 'B', 'C'))),
      review: fc.uniqueArray(fc.constantFrom('D', 'E')),
      pattern: fc.option(fc.dictionary(fc.constantFrom('name', 'postcode', '1'), fc.constantFrom('A', 'AB'))),
    }),
  )

  it('counts each match once by band and once by pattern, and moves agree with a changed rule', () => {
    const matches = fc.array(fc.record({ banding: band, pattern }), { minLength: 1 })
    fc.assert(
      fc.property(someRules, matches, (given, rows) => {
        const counter = new MatchCounter(given)
        for (const row of rows) counter.add(row, () => null)
        const groups = counter.groups()
        const outcomes = rows.map(row => acceptMatch(given, row).outcome)
        if (groups === null) return given === null && rows.every(row => row.banding === '' && row.pattern === '')
        for (const list of [groups.bands, groups.patterns]) {
          expect(list.reduce((sum, one) => sum + one.rows, 0)).toBe(rows.length)
          for (const placement of PLACEMENTS)
            expect(list.reduce((sum, one) => sum + one[placement], 0)).toBe(outcomes.filter(one => one === placement).length)
        }
        for (const { value, moves } of groups.bands) {
          const others = {
            banding: (given?.banding ?? null)?.filter(one => one !== value) ?? null,
            review: (given?.review ?? []).filter(one => one !== value),
          }
          // Without a list of bands, one that is left out needs a list of all the others.
          const all = [...new Set(rows.map(row => row.banding))].filter(
            one => one !== value && !(others.review as readonly string[]).includes(one),
          )
          const left = others.banding ?? all
          const changed: Readonly<Record<Placement, PlannedAccept>> = {
            matched: { banding: [...left, value], review: others.review, pattern: given?.pattern ?? null },
            review: { banding: left, review: [...others.review, value], pattern: given?.pattern ?? null },
            unmatched: { banding: left, review: others.review, pattern: given?.pattern ?? null },
          }
          const ofBand = rows.filter(row => row.banding === value)
          for (const placement of value === '' ? [] : PLACEMENTS)
            expect(moves[placement], `${value} ${placement}`).toBe(
              ofBand.filter(row => acceptMatch(changed[placement], row).outcome !== acceptMatch(given, row).outcome).length,
            )
        }
        return true
      }),
      { numRuns: runs(100, 2000) },
    )
  })

  it('lists the most frequent patterns and counts the rest', () => {
    const counter = new MatchCounter(null)
    const example: MatchExample = { row: 1, key: null, name: 'Acme', company: { id: 'x', name: 'Acme Ltd' } }
    for (let row = 0; row < 1500; row++) counter.add({ banding: 'A', pattern: `p${row}` }, () => example)
    const groups = counter.groups()
    expect([groups?.bands.length, groups?.patterns.length, groups?.others]).toEqual([1, 20, { bands: 0, patterns: 1480 }])
    expect(groups?.bands[0]?.examples).toHaveLength(3)
  })
})

const TAGS = [
  'general.connectId',
  'general.companyName',
  'contact.city',
  'general.banding',
  'general.pattern',
  'general.duplicate',
] as const
interface Row {
  readonly name: string
  readonly company: string
  readonly banding: string
  readonly duplicate?: boolean
}

/** A run's results at a service that knows nothing of fettle's own columns. */
async function publish(
  rows: readonly Row[],
  rest: Partial<Plan> = {},
  lines: readonly Decision[] = [],
  { withBand = true } = {},
) {
  const root = folder()
  const work = folder()
  writeFileSync(join(root, 'in.csv'), ['Name', ...rows.map(row => row.name), ''].join('\n'))
  const facts = { ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' }
  const columns = ['*', ...TAGS.slice(0, 3), 'match.outcome', 'match.why']
  const output = { path: 'out/result.csv', format: 'csv' as const, columns, unmatched: null, review: 'out/review.csv' }
  const plan = planOf(facts, { output, report: { rows: 'all', mask: [] }, ...rest })
  let decided = lines
  const opened = openResults(plan, work, {
    root,
    decisions: async () => (decided.length === 0 ? null : new Decisions(decided, '2026-11-21')),
  })
  const decide = (later: readonly Decision[]): void => {
    decided = later
  }
  const results = { ...opened, decide }
  const enriched = [
    ['Name', 'general.rowNumber', ...TAGS].map(name => (withBand || name !== 'general.banding' ? name : 'x.other')).join(','),
    ...rows.map(({ name, company, banding, duplicate }, at) =>
      [
        name,
        at + 1,
        company,
        company === '' ? '' : `${company} Ltd`,
        company === '' ? '' : 'Leeds',
        banding,
        'name A',
        duplicate ? 'Y' : 'N',
      ].join(','),
    ),
    '',
  ].join('\n')
  async function* body() {
    yield Buffer.from(enriched)
  }
  await results.receive(0, { bytes: Buffer.byteLength(enriched), body: body() }, rows.length)
  let sent: unknown
  const published = await results.publish(outcomes => (sent = outcomes))
  return {
    root,
    results,
    published,
    sent,
    output: text(join(root, 'out/result.csv')),
    review: text(join(root, 'out/review.csv')),
  }
}

const ROWS: readonly Row[] = [
  { name: 'One', company: 'GB-1', banding: 'A' },
  { name: 'Two', company: 'GB-2', banding: 'C' },
  { name: 'Three', company: 'GB-3', banding: 'E' },
  { name: 'Four', company: '', banding: '' },
]

describe('the rows of an output', () => {
  it('are left for review without the column of the bands, which is reported', async () => {
    const { published, output } = await publish(ROWS.slice(0, 1), { accept: rules() }, [], { withBand: false })
    expect([published.missing, output.split('\n')[1]]).toEqual([['general.banding'], 'One,,,,review,pattern name A'])
  })

  it('keep accepted matches, leave others for review with their company as candidate, and drop the rest', async () => {
    const { output, review, published, sent } = await publish(ROWS, { accept: rules() })
    expect(output).toBe(
      [
        'Name,general.connectId,general.companyName,contact.city,match.outcome,match.why',
        'One,GB-1,GB-1 Ltd,Leeds,matched,',
        'Two,,,,review,band C | pattern name A',
        'Three,,,,unmatched,band E | pattern name A',
        'Four,,,,unmatched,',
        '',
      ].join('\n'),
    )
    expect(review.split('\n').slice(0, 2)).toEqual([
      'Name,general.connectId,general.companyName,contact.city,match.outcome,match.why,match.candidateId,match.candidateName',
      'Two,,,,review,band C | pattern name A,GB-2,GB-2 Ltd',
    ])
    expect(published.outcomes).toMatchObject({ matched: 1, review: 1, unmatched: 2, duplicates: 0 })
    // The ledger compares with the service's own counts, which know no acceptance.
    expect(sent).toMatchObject({ matched: 3, unmatched: 1 })
    expect(published.reasons).toEqual({ 'not-accepted': 1, 'not-given': 1 })
    expect(published.samples.map(({ row, outcome, reason, candidate }) => [row, outcome, reason, candidate.id])).toEqual([
      [2, 'review', 'band-for-review', 'GB-2'],
      [3, 'unmatched', 'not-accepted', 'GB-3'],
      [4, 'unmatched', 'not-given', ''],
    ])
    expect(published.matches?.bands.map(({ value, rows, moves }) => [value, rows, moves])).toEqual([
      ['A', 1, { matched: 0, review: 1, unmatched: 1 }],
      ['C', 1, { matched: 1, review: 0, unmatched: 1 }],
      ['E', 1, { matched: 1, review: 1, unmatched: 0 }],
    ])
    expect(published.matches?.bands[1]?.examples).toEqual([
      { row: 2, key: null, name: 'Two', company: { id: 'GB-2', name: 'GB-2 Ltd' } },
    ])
  })

  it('are as without rules when there are none, and the bands are still counted', async () => {
    const { output, published } = await publish(ROWS)
    expect(output).toContain('Three,GB-3,GB-3 Ltd,Leeds,matched,\n')
    expect(published.outcomes).toMatchObject({ matched: 3, review: 0, unmatched: 1 })
    expect(published.matches?.bands.map(({ value, matched }) => [value, matched])).toEqual([
      ['A', 1],
      ['C', 1],
      ['E', 1],
    ])
  })

  it('make the next row of a company its first match when the first row is not accepted', async () => {
    const rows: readonly Row[] = [
      { name: 'One', company: 'GB-1', banding: 'C' },
      { name: 'Two', company: 'GB-1', banding: 'A', duplicate: true },
      { name: 'Three', company: 'GB-1', banding: 'A', duplicate: true },
    ]
    const { output, published } = await publish(rows, { accept: rules() })
    expect(
      output
        .split('\n')
        .slice(1, 4)
        .map(line => line.split(',')[4]),
    ).toEqual(['review', 'matched', 'duplicate'])
    expect(published.outcomes).toMatchObject({ matched: 1, review: 1, duplicates: 1 })
  })

  it('have all their tags again once a person accepts the company, and none once it is rejected', async () => {
    const { published } = await publish(ROWS, { accept: rules() })
    const line = (row: number, decision: Decision['decision'], company: string): Decision => ({
      ...{ fingerprint: published.samples.find(one => one.row === row)!.fingerprint!, decision, company },
      ...{ companyName: '', name: '', by: 'ann', at: '', expires: '' },
    })
    const decided = await publish(ROWS, { accept: rules() }, [line(2, 'accept', 'GB-2'), line(3, 'reject', 'GB-3')])
    expect(decided.output.split('\n').slice(2, 4)).toEqual([
      'Two,GB-2,GB-2 Ltd,Leeds,manualMatched,accepted by ann | band C | pattern name A',
      'Three,,,,unmatched,rejected by ann | band E | pattern name A',
    ])
    expect(decided.published.decisions).toMatchObject({ accepted: 1, rejected: 1, overruled: 0 })
  })

  it('have exactly one outcome each, for any bands', async () => {
    const row = fc.record({
      name: fc.constant('Acme'),
      company: fc.constantFrom('', 'GB-1', 'GB-2', 'GB-3'),
      banding: fc.constantFrom('A', 'C', 'E', ''),
      duplicate: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), fc.boolean(), async (rows, hasRules) => {
        const { published, output } = await publish(rows, { accept: hasRules ? rules() : null })
        const { matched, review, unmatched, duplicates } = published.outcomes
        expect((matched ?? 0) + (review ?? 0) + (unmatched ?? 0) + (duplicates ?? 0)).toBe(rows.length)
        const lines = output
          .trimEnd()
          .split('\n')
          .slice(1)
          .map(line => line.split(','))
        // A row has a company exactly when it is matched or a duplicate.
        for (const [, id, , , outcome] of lines) expect(id !== '').toBe(outcome === 'matched' || outcome === 'duplicate')
        if (!hasRules) return
        for (const [at, [, , , , outcome]] of lines.entries()) {
          const { company, banding } = rows[at]!
          if (banding === 'C' && company !== '') expect(outcome).toBe('review')
          if (company === '') expect(outcome).toBe('unmatched')
        }
      }),
      { numRuns: runs(25, 500) },
    )
  })
})

describe('questions for candidates', () => {
  const CANDIDATES = { for: ['review', 'unmatched'], limit: 3, budget: null, fetch: null } as const
  const mappings = [
    { mapping: 'name', header: 'Name', index: 0, pad: null },
    { mapping: 'country', header: null, index: 1, pad: null, value: 'United Kingdom' },
  ] as const
  const LIST: readonly Row[] = [
    { name: 'Zero', company: '', banding: '' },
    { name: 'One', company: 'GB-1', banding: 'A' },
    { name: 'Two', company: 'GB-2', banding: 'C' },
    { name: 'Zero', company: '', banding: '' },
    { name: 'Four', company: '', banding: '' },
    { name: 'Five', company: '', banding: '' },
  ]
  const proposed = (id: string) => ({
    ...{ id, name: `${id} Ltd`, score: 0.5, why: 'name ≈', parts: {}, fields: {}, tags: { 'general.connectId': id } },
  })

  it('are made once for equal rows, in the order of for, within the limit, and none for matched rows', async () => {
    const { results, published } = await publish(LIST, { accept: rules(), candidates: CANDIDATES, mappings })
    const listed: Question[] = []
    for await (const question of results.questions(3)) listed.push(question)
    expect(listed.map(({ query }) => query)).toEqual(['Two', 'Zero', 'Four'].map(name => ({ country: 'GB', name })))
    expect(published.questions).toEqual({ listed: 3, left: 1, incomplete: 0 })
  })

  it('put the rows into review once they are answered, and an accepted company is the match of the row', async () => {
    const how = { accept: rules(), candidates: CANDIDATES, mappings }
    const { results, root } = await publish(LIST, how)
    const listed: Question[] = []
    for await (const question of results.questions(3)) listed.push(question)
    const [two, zero, four] = listed.map(({ id }) => id) as [string, string, string]
    await results.propose({ [two]: [proposed('GB-2'), proposed('GB-7')], [zero]: [proposed('GB-9')], [four]: [] })
    const again = await results.publish()
    const lines = text(join(root, 'out/result.csv')).trimEnd().split('\n').slice(1)
    expect(lines.map(line => line.split(',')[4])).toEqual(['review', 'matched', 'review', 'review', 'unmatched', 'unmatched'])
    expect(again.questions).toBeNull()
    expect(again.outcomes).toMatchObject({ matched: 1, review: 3, unmatched: 2 })
    const samples = again.samples.filter(({ outcome }) => outcome === 'review')
    expect(samples.map(({ row, reason, candidates }) => [row, reason, candidates?.map(({ id }) => id)])).toEqual([
      [1, 'companies-proposed', ['GB-9']],
      [3, 'band-for-review', ['GB-2', 'GB-7']],
      [4, 'companies-proposed', ['GB-9']],
    ])
    const line = {
      fingerprint: samples[0]!.fingerprint!,
      decision: 'accept',
      company: 'GB-9',
      companyName: '',
      name: '',
      by: 'ann',
      at: '',
      expires: '',
    } as const
    results.decide([line])
    await results.publish()
    expect(text(join(root, 'out/result.csv')).split('\n')[1]).toBe('Zero,GB-9,GB-9 Ltd,,manualMatched,accepted by ann | name ≈')
  })

  it('need a name and a known country', () => {
    const about = questionMaker({
      mappings: [
        { mapping: 'name', header: 'n', index: 0, pad: null },
        { mapping: 'country', header: 'c', index: 1, pad: null },
        { mapping: 'postcode', header: 'p', index: 2, pad: null },
      ],
    })
    expect(about(['Acme', 'Atlantis', ''])).toBeNull()
    expect(about(['', 'GB', ''])).toBeNull()
    expect(about([' Acme ', 'Deutschland', 'x'.repeat(30)])?.query).toEqual({
      country: 'DE',
      name: 'Acme',
      postCode: 'x'.repeat(20),
    })
  })
})
