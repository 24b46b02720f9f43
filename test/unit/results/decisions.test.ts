/** Decisions: read from any table, stored as CSV, applied so that every row keeps exactly one outcome. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import { type Answer, NOT_SENT } from '../../../src/results/answers.ts'
import { applyDecision } from '../../../src/results/decisions/apply-decisions.ts'
import type { Decision } from '../../../src/results/decisions/decision.ts'
import {
  Decisions,
  decisionsText,
  mergeDecisions,
  readDecisions,
  requireDecisions,
  writeDecisions,
} from '../../../src/results/decisions/decisions.ts'
import type { EnrichedColumns } from '../../../src/results/enriched-columns.ts'
import type { RowOutcome } from '../../../src/results/enriched-file.ts'
import { openResults, readReview } from '../../../src/results/index.ts'
import { writeTable } from '../../../src/results/output/writers.ts'
import { fingerprinter } from '../../../src/results/row-fingerprint.ts'
import { RowTotals } from '../../../src/results/row-totals.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, file, folder, names, planOf, text } from '../input/kit.ts'

const TODAY = '2026-11-21'
const fingerprint = (n: number): string => `r${n.toString(16).padStart(32, '0')}`
const line = (rest: Partial<Decision> = {}): Decision => ({
  fingerprint: fingerprint(1),
  decision: 'accept',
  company: 'CC-1',
  companyName: 'Acme Ltd',
  name: 'Acme',
  by: 'ann',
  at: '2026-11-20T08:00:00.000Z',
  expires: '',
  ...rest,
})

const HEADER = ['general.connectId', 'match.outcome', 'match.score', 'match.why', 'match.candidates', 'general.duplicate']
const COLUMNS: EnrichedColumns = { header: HEADER, received: HEADER, own: [], added: [], find: name => HEADER.indexOf(name) }
const candidate = (id: string) => ({ id, name: `${id} Ltd`, score: 0.5, why: 'name 0.80', tags: { 'contact.city': 'Leeds' } })
const answer = (outcome: RowOutcome, ids: readonly string[] = []): Answer => ({
  ...NOT_SENT,
  outcome,
  serviceOutcome: outcome,
  columns: COLUMNS,
  row: [
    outcome === 'matched' || outcome === 'duplicate' ? (ids[0] ?? '') : '',
    outcome,
    '0.500',
    'name 0.80',
    outcome === 'review' ? JSON.stringify(ids.map(candidate)) : '',
    'N',
  ],
})
const applied = (one: Answer, ...lines: Partial<Decision>[]) =>
  applyDecision(one, [fingerprint(1)], new Decisions(lines.map(line), TODAY))

describe('a decision on a row', () => {
  it('assigns the chosen company, with the details that the service sent', () => {
    const found = applied(answer('review', ['CC-9', 'CC-1']), {})
    expect(found).toMatchObject({ outcome: 'manualMatched', serviceOutcome: 'review', decided: { effect: 'accepted' } })
    const cells = ['general.connectId', 'general.companyName', 'contact.city', 'match.why', 'contact.email', 'match.candidates']
    expect(cells.map(name => found.overrideCell?.(name))).toEqual([
      'CC-1',
      'Acme Ltd',
      'Leeds',
      'accepted by ann, 2026-11-20 | name 0.80',
      '',
      '',
    ])
  })

  it('changes nothing where the service found the same', () => {
    expect(applied(answer('matched', ['CC-1']), {})).toMatchObject({
      outcome: 'matched',
      overrideCell: null,
      decided: { effect: 'agreed' },
    })
  })

  it('overrides the service: another company, or none', () => {
    expect(applied(answer('matched', ['CC-2']), {})).toMatchObject({ outcome: 'manualMatched', decided: { effect: 'overruled' } })
    const none = applied(answer('matched', ['CC-2']), { decision: 'reject', company: 'CC-2' })
    expect([none.outcome, none.overrideCell?.('general.connectId'), none.overrideCell?.('general.duplicate')]).toEqual([
      'unmatched',
      '',
      'N',
    ])
    expect(applied(answer('matched', ['CC-2']), { decision: 'reject', company: 'CC-3' }).outcome).toBe('matched')
  })

  it('recognises a company by its ids in other registers, and names the register of the chosen one', () => {
    const header = [...HEADER, 'match.register', 'match.otherIds']
    const columns: EnrichedColumns = { header, received: header, own: [], added: [], find: name => header.indexOf(name) }
    const withRegister = (one: Answer, ...cells: string[]): Answer => ({ ...one, columns, row: [...one.row, ...cells] })
    const matched = withRegister(answer('matched', ['CC-2']), 'two', 'one: CC-1')
    expect(applied(matched, {})).toMatchObject({ outcome: 'matched', decided: { effect: 'agreed' } })
    const none = applied(matched, { decision: 'reject', company: 'CC-1' })
    expect([none.outcome, none.overrideCell?.('match.register'), none.overrideCell?.('match.otherIds')]).toEqual([
      'unmatched',
      '',
      '',
    ])

    const candidates = [candidate('CC-9'), { ...candidate('CC-2'), fields: { register: 'two', otherIds: 'one: CC-1' } }]
    const review = withRegister(answer('review'), 'nine', '')
    const reviewed = { ...review, row: review.row.with(HEADER.indexOf('match.candidates'), JSON.stringify(candidates)) }
    const cells = ['general.connectId', 'match.register', 'match.otherIds']
    const found = applied(reviewed, {})
    expect(cells.map(name => found.overrideCell?.(name))).toEqual(['CC-2', 'two', 'one: CC-1'])
    const left = applied(reviewed, { decision: 'reject', company: 'CC-9' })
    expect(cells.slice(1).map(name => left.overrideCell?.(name))).toEqual(['two', 'one: CC-1'])
    const gone = applied(reviewed, { decision: 'reject', company: 'CC-9' }, { decision: 'reject', company: 'CC-1' })
    expect([gone.outcome, gone.overrideCell?.('match.register')]).toEqual(['unmatched', ''])
  })

  it('is about a pair: a company that was not there before is proposed again', () => {
    const reject = { decision: 'reject', company: 'CC-1' } as const
    expect(applied(answer('review', ['CC-1']), reject)).toMatchObject({ outcome: 'unmatched', decided: { effect: 'rejected' } })
    const left = applied(answer('review', ['CC-1', 'CC-2']), reject)
    expect(left).toMatchObject({ outcome: 'review', decided: { effect: 'narrowed' }, candidates: [{ id: 'CC-2' }] })
    expect(left.overrideCell?.('match.candidateId')).toBe('CC-2')
    expect(applied(answer('review', ['CC-1', 'CC-2']), { ...reject, company: '' }).outcome).toBe('unmatched')
  })

  it('finds a company the service no longer proposes, and one it never named', () => {
    const found = applied(answer('unmatched'), {})
    expect([found.outcome, found.overrideCell?.('general.connectId'), found.overrideCell?.('general.companyName')]).toEqual([
      'manualMatched',
      'CC-1',
      'Acme Ltd',
    ])
  })

  it('does not apply to a failed row, after its last day, or when undone', () => {
    expect(applied(answer('failed'), {}).outcome).toBe('failed')
    expect(applied(answer('review', ['CC-1']), { expires: '2026-11-20' }).outcome).toBe('review')
    expect(applied(answer('review', ['CC-1']), { expires: TODAY }).outcome).toBe('manualMatched')
    expect(applied(answer('review', ['CC-1']), {}, { decision: 'undo' }).outcome).toBe('review')
  })
})

const id = fc.constantFrom('CC-1', 'CC-2', 'CC-3')
const anyLine = fc.record({
  fingerprint: fc.integer({ min: 0, max: 9 }).map(fingerprint),
  decision: fc.constantFrom('accept', 'reject', 'undo'),
  company: id,
  expires: fc.constantFrom('', '2026-01-01', '2027-01-01'),
}) as fc.Arbitrary<Partial<Decision>>
const anyAnswer = fc
  .record({
    outcome: fc.constantFrom<RowOutcome>('matched', 'duplicate', 'review', 'unmatched', 'failed', 'manualMatched'),
    ids: fc.uniqueArray(id),
    row: fc.integer({ min: 0, max: 9 }),
    isRepeat: fc.boolean(),
  })
  .map(({ isRepeat, ...one }) => {
    const given = answer(one.outcome, one.ids)
    const raw = isRepeat ? null : { row: given.row, columns: COLUMNS, outcome: one.outcome, number: 1, part: 0 }
    return { ...one, answer: { ...given, raw } }
  })

describe('the ledger under decisions', () => {
  const plan = planOf({ header: ['name'], rows: 0 } as unknown as Plan['input'])
  it('every row has one outcome before and one after, and the service is judged by its own', async () => {
    const workDir = folder()
    await fc.assert(
      fc.asyncProperty(fc.array(anyAnswer, { maxLength: 30 }), fc.array(anyLine, { maxLength: 20 }), async (rows, lines) => {
        const decisions = new Decisions(lines.map(line), TODAY)
        const [plain, decided] = [new RowTotals(plan, workDir, null), new RowTotals(plan, workDir, null)]
        for (const tally of [plain, decided]) tally.begin(COLUMNS)
        for (const [at, { answer, row }] of rows.entries()) {
          const print = fingerprint(row)
          const joined = { number: at + 1, inputRow: ['x'], fingerprints: [print], audit: null, ruled: null }
          await plain.add({ ...joined, result: applyDecision(answer, [print], null) })
          await decided.add({ ...joined, result: applyDecision(answer, [print], decisions) })
        }
        for (const tally of [plain, decided]) await tally.discard()
        const sum = (counts: object): number => Object.values(counts).reduce((total: number, count) => total + count, 0)
        expect(sum(decided.outcomes())).toBe(rows.length)
        expect(decided.sent()).toEqual(plain.sent())
        expect(decided.outcomes().failed).toBe(plain.outcomes().failed)
        const { accepted, rejected, overruled } = decided.decisions(decisions, { same: [], renewed: [], unclear: 0 })
        const manual = (decided.outcomes().manualMatched ?? 0) - rows.filter(one => one.outcome === 'manualMatched').length
        expect(Math.abs(manual)).toBeLessThanOrEqual(accepted + overruled)
        expect(accepted + rejected + overruled).toBeLessThanOrEqual(rows.length)
        expect(new Set(decided.results().scores)).toEqual(new Set(plain.results().scores))
      }),
    )
  })

  it('taking everything back is as if nothing had been decided', () => {
    fc.assert(
      fc.property(fc.array(anyLine), lines => {
        const all = lines.map(line)
        const undone = all.map(one => ({ ...one, decision: 'undo' as const }))
        expect(mergeDecisions(all, undone)).toEqual([])
        expect(new Decisions([...all, ...undone], TODAY).rows).toBeLessThanOrEqual(
          new Set(all.filter(one => one.expires === '2026-01-01').map(one => one.fingerprint)).size,
        )
        expect(mergeDecisions(mergeDecisions([], all), all)).toEqual(mergeDecisions([], all))
      }),
    )
  })
})

describe('fingerprints', () => {
  const at = (mappings: [string, number][]) =>
    fingerprinter({ mappings: mappings.map(([mapping, index]) => ({ mapping, header: null, index, pad: null })) as never })

  it('stay when columns move, and differ when any cell does', () => {
    const one = at([
      ['name', 0],
      ['town', 2],
    ])(['Acme', 'x', 'Leeds'])
    expect(
      at([
        ['town', 0],
        ['name', 1],
      ])(['Leeds', ' Acme ', 'y']),
    ).toBe(one)
    expect(
      at([
        ['name', 0],
        ['postcode', 2],
      ])(['Acme', 'x', 'Leeds']),
    ).not.toBe(one)
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '1', '2', '-', '.'), maxLength: 3 })
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 2, maxLength: 2 }),
        fc.array(letters, { minLength: 2, maxLength: 2 }),
        (a, b) => {
          const of = at([
            ['name', 0],
            ['town', 1],
          ])
          const isSame = a.every((cell, n) => cell === b[n])
          expect(of(a) === of(b)).toBe(isSame)
        },
      ),
    )
  })
})

test.each([
  ['letters in another case', 'acme LIMITED', '7123'],
  ['more blanks, also invisible ones', ' Acme \u00a0 Limited\u200b', ' 7123 '],
  ['wide letters', 'Ａcme Limited', '7123'],
  ['zeros that pad restores', 'Acme Limited', '00007123'],
])('a row with %s keeps its fingerprint', (_, name, number) => {
  const mappings = [
    { mapping: 'name', index: 0 },
    { mapping: 'orgNumber', index: 1 },
  ]
  const of = fingerprinter({ mappings: mappings as never })
  expect(of([name, number])).toBe(of(['Acme Limited', '7123']))
  expect(of(['Acme Limited', '71230'])).not.toBe(of(['Acme Limited', '7123']))
})

describe('a decisions file', () => {
  const cell = fc.string({ unit: anyCharacter }).map(text =>
    text
      .replace(/[\0\ufeff\ufffd]/g, '')
      .trim()
      .replace(/^'/, ''),
  )

  it('reads back any decisions that it wrote', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }), async cells => {
        const lines = cells.map(([companyName, name, by], n) => line({ fingerprint: fingerprint(n), companyName, name, by }))
        const path = file(decisionsText(lines), 'decisions.csv')
        expect(await readDecisions(path)).toEqual({ lines, issues: [] })
      }),
      { numRuns: runs(20, 60) },
    )
  })

  it('may be a spreadsheet as people save them: other order, semicolons, a mark, more columns, open lines', async () => {
    const content = `\ufeffDecision;company;Fingerprint;note\r\nACCEPT;CC-7;${fingerprint(3)};sure\r\n;CC-8;${fingerprint(3)};\r\n`
    const { lines, issues } = await readDecisions(file(content, 'd.csv'))
    expect(issues).toEqual([])
    expect(lines).toEqual([line({ fingerprint: fingerprint(3), company: 'CC-7', companyName: '', name: '', by: '', at: '' })])
  })

  it('may be an Excel file that fettle wrote', async () => {
    const path = join(folder(), 'review.xlsx')
    await writeTable(path, 'xlsx', ['fingerprint', 'decision', 'company'], [[fingerprint(4), 'reject', '=CC-1']])
    expect(await requireDecisions(path)).toMatchObject([{ fingerprint: fingerprint(4), decision: 'reject', company: '=CC-1' }])
  })

  it('names all that is wrong at once, with lines', async () => {
    const content = [
      'fingerprint,decision,company,at,expires',
      `${fingerprint(1)},accept,,,`,
      'nonsense,accept,CC-1,,',
      `${fingerprint(1)},maybe,CC-1,,`,
      `${fingerprint(1)},reject,CC-1,yesterday,2026-02-30`,
    ].join('\n')
    const { lines, issues } = await readDecisions(file(content, 'd.csv'))
    expect(lines).toEqual([])
    expect(issues.map(({ at }) => at?.line)).toEqual([2, 3, 4, 5])
    expect(issues.every(({ code, severity }) => code === 'FETTLE_DECISIONS' && severity === 'error')).toBe(true)
    await expect(requireDecisions(file('a,b\n1,2\n', 'd.csv'))).rejects.toMatchObject({
      code: 'FETTLE_DECISIONS',
      exitCode: 65,
      message: expect.stringContaining('the columns fingerprint and decision are missing'),
    })
  })

  it('rejects a file with contradicting lines and names the lines', async () => {
    const other = decisionsText([line(), line({ fingerprint: fingerprint(2) }), line({ company: 'CC-2' })])
    const { issues } = await readDecisions(file(other, 'd.csv'))
    expect(issues).toMatchObject([{ message: expect.stringContaining('line 2 already accepts'), at: { line: 4 } }])
    const changed = decisionsText([line(), line({ decision: 'reject' }), line({ company: 'CC-2' })])
    expect((await readDecisions(file(changed, 'd.csv'))).issues).toEqual([])
  })

  it('without lines decides nothing, and is a .csv', async () => {
    expect(await readDecisions(file(decisionsText([]), 'd.csv'))).toEqual({ lines: [], issues: [] })
    expect(await readDecisions(file('', 'd.csv'))).toEqual({ lines: [], issues: [] })
    await expect(writeDecisions(join(folder(), 'd.txt'), [])).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE' })
  })
})

describe('outputs under decisions', () => {
  const INPUT = 'name,town\nAcme,Leeds\nBolt,York\nCork,Bath\n'
  const CANDIDATES = JSON.stringify([
    {
      id: 'CC-1',
      name: 'ACME LTD',
      score: 0.7,
      why: 'name 0.9',
      fields: { name: 'ACME LTD', phone: '1' },
      tags: { 'general.connectId': 'CC-1' },
    },
    { id: 'CC-2', name: 'ACME INC', score: 0.2, why: 'name 0.5', fields: {}, tags: {} },
  ]).replaceAll('"', '""')
  const ENRICHED = `name,town,general.connectId,match.outcome,match.score,match.why,match.candidateId,match.candidateName,match.candidates
Acme,Leeds,,review,0.700,name 0.9,CC-1,ACME LTD,"${CANDIDATES}"
Bolt,York,,review,0.500,name 0.8,CC-9,BOLT LTD,
Cork,Bath,CC-5,matched,0.990,name 1.0,,,
`
  const output = {
    path: 'out.csv',
    format: 'csv',
    columns: ['*', 'general.connectId', 'match.outcome'],
    unmatched: null,
    review: 'review.csv',
  } as const

  async function published(lines: readonly Decision[] | null, rest: Partial<Plan> = {}) {
    const root = folder()
    const work = folder()
    writeFileSync(join(root, 'in.csv'), INPUT)
    writeFileSync(join(work, 'enriched-0.csv.gz'), gzipSync(ENRICHED))
    const facts = { ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' }
    const plan = planOf(facts, { output, ...rest })
    const decisions = async () => (lines === null ? null : new Decisions(lines, TODAY))
    const found = await openResults(plan, work, { root, decisions }).publish()
    const rows = []
    for await (const row of readReview(work)) rows.push(row)
    return { root, work, found, rows }
  }

  it('rows to review are kept beside the run, with all that is needed to decide', async () => {
    const { rows, found } = await published(null)
    expect(found).toMatchObject({ outcomes: { matched: 1, review: 2 }, decisions: null })
    expect(rows).toMatchObject([
      { row: 1, outcome: 'review', candidates: [{ id: 'CC-1', why: 'name 0.9' }, { id: 'CC-2' }], decision: null },
      // A service that names the best company alone still gives something to choose.
      { row: 2, candidates: [{ id: 'CC-9', name: 'BOLT LTD', score: 0.5, why: 'name 0.8' }] },
    ])
    expect(rows[0]).not.toHaveProperty('candidates.0.tags')
    expect(rows[0]!.fingerprint).toMatch(/^r[0-9a-f]{32}$/)
  })

  it('contain the decision; the row leaves the review, and stays available for an undo', async () => {
    const { rows } = await published(null)
    const lines = [
      line({ fingerprint: rows[0]!.fingerprint }),
      line({ fingerprint: rows[1]!.fingerprint, decision: 'reject', company: 'CC-9' }),
    ]
    const after = await published([...lines, line({ fingerprint: fingerprint(99) })])
    expect(after.found).toMatchObject({
      outcomes: { matched: 1, manualMatched: 1, review: 0, unmatched: 1 },
      decisions: { accepted: 1, rejected: 1, agreed: 0, overruled: 0, expired: 0, unused: 1 },
    })
    expect(text(join(after.root, 'out.csv'))).toBe(
      'name,town,general.connectId,match.outcome\nAcme,Leeds,CC-1,manualMatched\nBolt,York,,unmatched\nCork,Bath,CC-5,matched\n',
    )
    expect(text(join(after.root, 'review.csv')).split('\n')).toHaveLength(2)
    expect(after.rows.map(({ outcome, decision }) => [outcome, decision?.decision])).toEqual([
      ['manualMatched', 'accept'],
      ['unmatched', 'reject'],
    ])
  })

  it('about unmatched rows reach exactly their rows, in any order of the list, with the tags of the register', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `Company ${n}`)
    const shuffled = fc.shuffledSubarray(names, { minLength: names.length })
    const chosen = fc.uniqueArray(fc.nat(names.length - 1), { minLength: 1 })
    const companyTags = async () => ({
      get: (id: string) => ({ 'general.connectId': id, 'contact.city': `City of ${id}` }),
      unknown: () => null,
      close: () => {},
    })
    await fc.assert(
      fc.asyncProperty(shuffled, chosen, async (order, decided) => {
        const [root, work] = [folder(), folder()]
        writeFileSync(join(root, 'in.csv'), `name,town\n${order.map(name => `${name},Leeds\n`).join('')}`)
        const lines = order.map(name => `${name},Leeds,,,unmatched,,,\n`).join('')
        const header = 'name,town,general.connectId,contact.city,match.outcome,match.score,match.why,match.candidates'
        writeFileSync(join(work, 'enriched-0.csv.gz'), gzipSync(`${header}\n${lines}`))
        const columns = ['*', 'general.connectId', 'contact.city', 'match.outcome']
        const facts = { ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' }
        const plan = planOf(facts, { output: { ...output, columns } })
        const fingerprintOf = fingerprinter(plan)
        const accepted = decided.map(n =>
          line({ fingerprint: fingerprintOf([names[n]!, 'Leeds']), company: `GB-${n}`, companyName: '' }),
        )
        const decisions = async () => new Decisions(accepted, TODAY)
        const found = await openResults(plan, work, { root, decisions, companyTags }).publish()
        expect(found.outcomes).toMatchObject({ manualMatched: decided.length, unmatched: names.length - decided.length })
        const rows = text(join(root, 'out.csv')).trim().split('\n').slice(1)
        for (const row of rows) {
          const [name = '', , ...rest] = row.split(',')
          const n = names.indexOf(name)
          expect(rest).toEqual(decided.includes(n) ? [`GB-${n}`, `City of GB-${n}`, 'manualMatched'] : ['', '', 'unmatched'])
        }
        expect(rows.map(row => row.split(',')[0])).toEqual(order)
      }),
      { numRuns: runs(20, 200) },
    )
  })

  it('store no row content when the report has none, and mask masked columns', async () => {
    const none = await published(null, { report: { rows: 'none', mask: [] } })
    expect([none.rows, names(none.work)]).toEqual([[], ['enriched-0.csv.gz', 'states.jsonl.gz']])
    const states = gunzipSync(readFileSync(join(none.work, 'states.jsonl.gz'))).toString()
    for (const cell of INPUT.split(/[\n,;]/).filter(text => text.length > 3)) expect(states).not.toContain(cell)
    const { rows } = await published(null, { report: { rows: 'review', mask: ['name'] } })
    expect([rows[0]!.cells, rows[0]!.candidates[0]!.fields]).toEqual([{ name: '***' }, { name: '***', phone: '1' }])
  })
})
