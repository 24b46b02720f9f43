/** Pipeline + facts -> Plan: headers, limits, columns, fingerprint (faults C18 to C26, P19, P34, P38, P40). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TAGS } from '../../../src/contract/index.ts'
import { issue } from '../../../src/errors.ts'
import { outputNames } from '../../../src/model/columns.ts'
import type { InputFacts, Plan } from '../../../src/pipeline/model/types.ts'
import { parsePipelineValue } from '../../../src/pipeline/parse.ts'
import { comparePlans } from '../../../src/pipeline/planning/diff.ts'
import { explainPlan } from '../../../src/pipeline/planning/explain.ts'
import { FREE_KEYS, fingerprintPlan } from '../../../src/pipeline/planning/fingerprint.ts'
import { planRun } from '../../../src/pipeline/planning/plan.ts'
import { liveSettingsOf, settingName } from '../../../src/pipeline/schema/keys.ts'
import { inputOptionsOf } from '../../../src/pipeline/schema/pipeline.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { BASE, CONTEXT, FACTS, lineOf, OPTIONS, pipelineOf, plan, planOf } from './support.ts'

const lines = (text: string, facts: Partial<InputFacts> = {}) =>
  plan(text, facts).issues.map(one => `${lineOf(one)} | ${one.hint}`)
const withInput = (rest: string) => `name: a\ninput: { path: in.csv, ${rest} }\nmappings: { name: Name, country: Country }\n`
const withMappings = (rest: string) => `name: a\ninput: in.csv\nmappings: { name: Name, country: Country, ${rest} }\n`

describe('headers', () => {
  test('are resolved to zero-based indexes', () => {
    expect(planOf(withInput('key: Id')).key).toEqual({ header: 'Id', index: 0 })
    expect(planOf(BASE).mappings).toEqual([
      { mapping: 'name', header: 'Name', index: 1, pad: null },
      { mapping: 'country', header: 'Country', index: 2, pad: null },
    ])
  })

  test('from takes the first header that exists; an optional header may be missing', () => {
    const text = withMappings('orgNumber: { from: [Reg, Id, Name], pad: 8 }, phone: { from: Phone, optional: true }')
    expect(planOf(text).mappings.map(one => [one.mapping, one.index, one.pad])).toEqual([
      ['orgNumber', 0, 8],
      ['name', 1, null],
      ['country', 2, null],
    ])
  })

  test('a constant gets a column after the columns of the input', () => {
    const text = 'name: a\ninput: in.csv\nmappings: { name: { from: Name, trim: true }, countryCode: { value: GB } }\n'
    const { mappings, preparation } = planOf(text)
    expect(mappings).toEqual([
      { mapping: 'name', header: 'Name', index: 1, pad: null, trim: true },
      { mapping: 'countryCode', header: null, index: 3, pad: null, value: 'GB' },
    ])
    expect(preparation).toEqual(['trim name', 'countryCode "GB" in every row'])
    expect(() => plan('name: a\ninput: in.csv\nmappings: { name: Name, country: { value: GB, from: Country } }\n')).toThrow(
      'value excludes the other keys',
    )
  })

  test('a file without a header is read by index', () => {
    const text =
      'name: a\ninput: { path: in.csv, header: false, key: { index: 0 } }\nmappings: { name: { index: 1 }, country: { index: 2 } }'
    const { mappings, key } = planOf(text, { header: null })
    expect(mappings.map(one => [one.header, one.index])).toEqual([
      [null, 1],
      [null, 2],
    ])
    expect(key).toEqual({ header: null, index: 0 })
  })

  test.each([
    [
      'C18 missing',
      withMappings('town: Cuontry'),
      {},
      'INPUT_HEADER 3:49 mappings.town: in.csv has no header "Cuontry"; did you mean "Country"? | Its headers: "Id", "Name", "Country".',
    ],
    [
      'C18 none of several',
      withMappings('town: { from: [Town, City] }'),
      {},
      'INPUT_HEADER 3:49 mappings.town: in.csv has none of the headers "Town", "City" | Its headers',
    ],
    [
      'C18 twice',
      BASE,
      { header: ['Name', 'Country', 'Name'] },
      'INPUT_HEADER 3:19 mappings.name: the header "Name" occurs in columns 1 and 3 of in.csv | Choose one: { index: 0 } or { index: 2 }.',
    ],
    [
      'C18 index',
      withMappings('phone: { index: 99 }'),
      {},
      'INPUT_HEADER 3:50 mappings.phone: column index 99 is beyond the 3 columns of in.csv | Valid are 0 to 2',
    ],
    [
      'C20 hidden characters',
      BASE,
      { header: ['Id', 'Na\u200bme\u00a0', 'Country'] },
      'did you mean "Na\\u200bme\\u00a0" (column 2, with invisible characters)?',
    ],
    ['C20 case and spaces', BASE, { header: ['Id', ' name', 'Country'] }, 'did you mean " name" (column 2)? | '],
    ['C26 key', withInput('key: Ref'), {}, 'INPUT_HEADER 2:29 input.key: in.csv has no header "Ref" | Its headers'],
    [
      'P40 mask',
      `${BASE}report: { mask: [phone, Id, emial] }`,
      {},
      'INPUT_HEADER 4:29 report.mask: "emial" is neither a mapping nor a header of in.csv; did you mean "email"?',
    ],
  ])('%s', (_, text, facts, expected) => {
    expect(plan(text, facts).plan).toBeNull()
    expect(lines(text, facts).join('\n')).toContain(expected)
  })

  test('C21 headers named like properties of an object are plain text', () => {
    const text = 'name: a\ninput: in.csv\nmappings: { name: __proto__, country: constructor }'
    expect(planOf(text, { header: ['constructor', '__proto__', 'toString'] }).mappings.map(one => one.index)).toEqual([1, 0])
  })

  test('P19 warns about two mappings of one column, with both names', () => {
    const planned = planOf(withMappings('tradingName: Name'))
    expect(planned.issues.map(lineOf)).toEqual([
      'PIPELINE_MAPPING 3:56 mappings.name and mappings.tradingName both read column 2, "Name"',
    ])
    expect(planned.issues[0]?.severity).toBe('warn')
  })

  test('reports missing optional headers when nothing is left to match on, or no country', () => {
    const text = 'name: a\ninput: in.csv\nmappings: { name: { from: X, optional: true }, country: Country }'
    expect(lines(text)[0]).toContain('none of the columns to match on')
    const planned = plan('name: a\ninput: in.csv\nmappings: { name: Name, country: { from: X, optional: true } }')
    expect(planned.plan).not.toBeNull()
    expect(planned.issues.map(one => [one.code, one.severity])).toEqual([['FETTLE_PIPELINE_MAPPING', 'warn']])
  })

  test('every column is found by its header, for any header', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20, unit: anyCharacter }), { minLength: 2, maxLength: 9 }),
        fc.nat(),
        (header, seed) => {
          const index = seed % header.length
          const other = (index + 1) % header.length
          const given = (at: number) => header[at]!.replaceAll('${', () => '$${')
          const value = { name: 'a', input: 'in.csv', mappings: { name: given(index), country: given(other) } }
          const { pipeline } = parsePipelineValue(value, OPTIONS)
          const planned = planRun(pipeline!, { ...FACTS, header, columns: header.length }, CONTEXT)
          expect(planned.plan?.mappings.map(one => one.index)).toEqual([index, other])
        },
      ),
    )
  })
})

describe('counts', () => {
  test.each([
    ['C24 too few', withInput('rows: { min: 11 }'), 'INPUT_ROWS 2:30 in.csv: found 10 rows, input.rows allows 11 or more |'],
    ['C24 too many', withInput('rows: { min: 1, max: 9 }'), 'INPUT_ROWS 2:30 in.csv: found 10 rows, input.rows allows 1 to 9 |'],
    ['C24 too many', withInput('rows: { max: 9 }'), 'input.rows allows up to 9 |'],
    ['C25 budget', `${BASE}budget: { rows: 9 }`, 'INPUT_BUDGET 4:17 in.csv: 10 rows would be sent, budget.rows allows 9'],
    [
      'split',
      `${BASE}job: { split: 1 }`,
      'INPUT_BUDGET 4:15 in.csv: 1,001 rows would need 1,001 jobs of 1 row (job.split), the limit is 1000',
      { rows: 1001 },
    ],
  ])('%s', (_, text, expected, facts: Partial<InputFacts> = {}) => {
    expect(plan(text, facts).plan).toBeNull()
    expect(lines(text, facts).join('\n')).toContain(expected)
  })

  test('parts have at most split rows each and cover all rows', () => {
    const { parts, concurrency } = planOf(`${BASE}job: { split: 4, concurrency: 2 }`)
    expect(parts).toEqual([
      { from: 0, rows: 4 },
      { from: 4, rows: 4 },
      { from: 8, rows: 2 },
    ])
    expect(concurrency).toBe(2)
    expect(planOf(BASE).parts).toEqual([{ from: 0, rows: 10 }])
    expect(planOf(`${BASE}job: { split: 10 }`).parts).toHaveLength(1)
  })

  test('equal rows count once for the budget and the split', () => {
    const text = `${BASE}output: o.csv\njob: { collapse: true, split: 3 }\nbudget: { rows: 6 }`
    expect(planOf(text, {}, { counts: { sent: 6, skipped: 0 } })).toMatchObject({
      rows: 10,
      sent: 6,
      preparation: ['6 different rows of 10'],
    })
    expect(planOf(text, {}, { counts: { sent: 6, skipped: 0 } }).parts).toHaveLength(2)
    expect(planOf(text).sent).toBe(10)
  })

  test('a limit leaves out portfolio and events, with a warning', () => {
    const text = `${BASE}\noutput: out.csv\nportfolio: { name: All }\nevents: { output: events.csv }\n`
    const service = { kind: 'remote', url: 'https://api.example.com/v1', rate: null, fileHosts: [], insecure: false } as const
    const { portfolio, events, issues } = planOf(text, {}, { limit: 5, service })
    expect({ portfolio, events }).toEqual({ portfolio: null, events: undefined })
    expect(issues.filter(({ severity }) => severity === 'warn').map(({ message }) => message)).toEqual([
      'portfolio and events are left out: only the first 5 rows of the list are sent',
    ])
    expect(planOf(text, {}, { service })).toMatchObject({ portfolio: { name: 'All' }, events: { output: 'events.csv' } })
  })

  test('a limit and the embedded service leave out monitoring', () => {
    const text = `${BASE}\noutput: out.csv\nscreen: { datasets: [SAN], monitor: true, alerts: alerts.csv }\n`
    const service = { kind: 'remote', url: 'https://api.example.com/v1', rate: null, fileHosts: [], insecure: false } as const
    expect(planOf(text, {}, { service }).screen).toMatchObject({ monitor: { remove: { max: 0.2 } }, alerts: 'alerts.csv' })
    for (const [context, why] of [
      [{ limit: 5, service }, 'only the first rows of the list are sent'],
      [{}, 'the schedules of the embedded service end with the run'],
    ] as const) {
      const { screen, issues } = planOf(text, {}, context)
      expect([screen?.monitor, screen?.alerts]).toEqual([undefined, undefined])
      expect(issues.map(({ message }) => message)).toContain(`screen.monitor is left out: ${why}`)
    }
  })

  test('a limit applies to the budget and the split, not to input.rows', () => {
    const text = `${withInput('rows: { min: 10 }')}budget: { rows: 5 }\njob: { split: 5, concurrency: 2 }`
    const { rows, limit, preparation } = planOf(text, {}, { limit: 5 })
    expect({ rows, limit, preparation }).toEqual({ rows: 5, limit: 5, preparation: ['the first 5 of 10 rows'] })
    expect(planOf(BASE, {}, { limit: 99 })).toMatchObject({ rows: 10, limit: 99, preparation: [] })
  })

  test('C3, C4 reports an input without rows', () => {
    expect(lines(BASE, { rows: 0 })).toEqual([expect.stringContaining('INPUT_EMPTY')])
    const skip = withInput('empty: skip, rows: { min: 1 }')
    expect(planOf(skip, { rows: 0 }).rows).toBe(0)
    expect(planOf(skip, { rows: 0, header: [], columns: 0 }).mappings).toEqual([])
  })

  test('an empty input is reported once, and accepted with empty: skip', () => {
    const issues = [issue('FETTLE_INPUT_EMPTY', 'in.csv has no rows: zero bytes')]
    const facts = { rows: 0, header: [], columns: 0 }
    expect(plan(BASE, facts, { issues }).issues.filter(one => one.code === 'FETTLE_INPUT_EMPTY')).toEqual(issues)
    expect(planOf(withInput('empty: skip'), facts, { issues }).issues).toEqual([])
  })
})

describe('issues of the inspection', () => {
  test('warnings become part of the plan, errors prevent it', () => {
    const warning = issue('FETTLE_INPUT_SUSPECT', 'odd', { severity: 'warn' })
    expect(planOf(BASE, {}, { issues: [warning] }).issues).toEqual([warning])
    const error = issue('FETTLE_INPUT_QUOTE', 'bad')
    expect(plan(BASE, {}, { issues: [warning, error] })).toEqual({ plan: null, issues: [warning, error] })
  })
})

describe('outputs', () => {
  test('absent: the run ends when matched', () => {
    expect(planOf(BASE)).toMatchObject({ output: null, enrich: null })
  })

  test('without enrich: basic with all of its tags, and columns about the match', () => {
    const { enrich, output } = planOf(`${BASE}output: out.csv`)
    expect(enrich).toEqual({ product: 'basic', tags: TAGS.basic })
    expect(output).toEqual({
      path: 'out.csv',
      format: 'csv',
      columns: ['*', 'general.connectId', 'general.companyName', 'match.outcome', 'match.score', 'match.why'],
      unmatched: null,
      review: null,
    })
  })

  test('columns may have names of their own; the plan keeps them beside the columns', () => {
    const text = (columns: string, more = '') => `${BASE}output: { path: o.csv, columns: [${columns}]${more} }`
    const given = '"*", { from: general.connectId, as: connect_id }, match.score'
    const { output, fingerprint, ...rest } = planOf(text(given, ', names: snake'))
    expect(output).toMatchObject({
      columns: ['*', 'general.connectId', 'match.score'],
      rename: { 'general.connectId': 'connect_id' },
      names: 'snake',
    })
    expect(explainPlan({ ...rest, output, fingerprint })).toContain(
      'columns: *, general.connectId as connect_id, match.score, names in snake_case',
    )
    const plain = planOf(text('"*", general.connectId, match.score', ', names: original'))
    expect(Object.keys(plain.output ?? {})).not.toContain('names')
    expect(plain.fingerprint).not.toBe(fingerprint)
    expect(comparePlans(planOf(text(given)), plain).map(({ what }) => what)).toEqual(['output.columns'])
    expect(lines(text('"*", { from: general.connectId, as: ID }'))).toEqual([
      expect.stringContaining('general.connectId as "ID": another column of the output has this name'),
    ])
    expect(() => plan(text('{ from: "*", as: all }'))).toThrow('"*" means all columns of the input')
    expect(() => plan(text('{ from: match.nosuch, as: all }'))).toThrow('"match.nosuch" is neither')
    expect(() => plan(text('general.status'))).toThrow('"general.status" is a tag of basicPlus, but enrich does not ask for it')
    expect(() => plan(text('{ from: match.score }'))).toThrow('output.columns.0.as is missing')
  })

  test('columns of the list are named by their headers, and "*" is the rest of them', () => {
    const text = (columns: string) => `${BASE}output: { path: o.csv, columns: [${columns}] }`
    const planned = planOf(text('Country, { from: Id, as: ref }, match.outcome, "*"'))
    expect(planned.output).toMatchObject({
      columns: ['Country', 'Id', 'match.outcome', '*'],
      own: { Country: 2, Id: 0 },
      rename: { Id: 'ref' },
    })
    expect(outputNames(planned.output!, FACTS.header!)).toEqual(['Country', 'ref', 'match.outcome', 'Name'])
    expect(Object.keys(planOf(text('"*"')).output ?? {})).not.toContain('own')
    expect(lines(text('Cuontry, Name'))).toEqual([
      'INPUT_HEADER 4:34 output.columns: in.csv has no header "Cuontry"; did you mean "Country"? | Its headers: "Id", "Name", "Country". Columns of the result are enrichment tags and match.* columns.',
    ])
    expect(lines(text('Name'), { header: ['Name', 'Country', 'Name'] })).toContainEqual(
      expect.stringContaining('output.columns: the header "Name" occurs in columns 1 and 3'),
    )
    expect(lines(text('{ from: Id, as: Name }, "*"'))).toEqual([
      expect.stringContaining('Id as "Name": another column of the output has this name'),
    ])
    expect(() => plan(text('Id, Id'))).toThrow('"Id" occurs twice')
  })

  test('a product requests all of its tags, a list only those', () => {
    expect(planOf(`${BASE}output: o.csv\nenrich: standard`).enrich?.tags.length).toBe(664)
    expect(planOf(`${BASE}output: o.csv\nenrich: { product: basicPlus }`).enrich?.tags).toEqual(TAGS.basicPlus)
    const { enrich, output } = planOf(`${BASE}output: o.csv\nenrich: { product: basicPlus, tags: [general.vatNumber] }`)
    expect(enrich?.tags).toEqual(['general.vatNumber'])
    expect(output?.columns).toEqual(['*', 'general.vatNumber', 'match.outcome', 'match.score', 'match.why'])
  })

  test('P38 an input replaced later is not overwritten', () => {
    expect(lines(`${BASE}output: { path: o.csv, review: Other.csv }`, { path: './other.csv' })).toEqual([
      expect.stringContaining('output.review: "Other.csv" would overwrite the input'),
    ])
  })
})

test('preparation lists why the file is not uploaded byte for byte', () => {
  expect(
    planOf(withMappings('orgNumber: { from: Id, pad: 8 }'), { encoding: 'windows-1252', quotes: 'relaxed' }, { limit: 3 })
      .preparation,
  ).toEqual(['encoding windows-1252', 'quotes: relaxed', 'pad orgNumber to 8 digits', 'the first 3 of 10 rows'])
  expect(planOf(BASE, { bom: true, lineEnd: 'crlf', delimiter: ';' }).preparation).toEqual([])
})

test('a plan is frozen, the facts of the caller are not', () => {
  const planned = planOf(`${BASE}output: o.csv\nchecks: { matched: { warn: "< 90%" } }`)
  const parts: unknown[] = [planned]
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue
    expect(Object.isFrozen(part)).toBe(true)
    parts.push(...Object.values(part))
  }
  expect(parts.length).toBeGreaterThan(100)
  expect(Object.isFrozen(FACTS.header)).toBe(false)
})

describe('fingerprint', () => {
  const of = (text: string, facts: Partial<InputFacts> = {}, context = {}) => planOf(text, facts, context).fingerprint
  const full = `${BASE}output: o.csv\n`

  test('is stable', () => {
    expect(of(full)).toMatch(/^[0-9a-f]{64}$/)
    expect(of(full)).toBe(of(full))
    expect(of('output: o.csv\nmappings: { country: Country, name: Name }\ninput: { path: in.csv }\nname: suppliers\n')).toBe(
      of(full),
    )
  })

  test.each([
    ['poll', 'poll: { every: 5s }'],
    ['retry', 'retry: { attempts: 2 }'],
    ['checks', 'checks: { matched: { fail: "< 90%" } }'],
    ['report', 'report: { rows: review }'],
    ['description', 'description: x'],
    ['tags', 'tags: [x]'],
  ])('does not depend on %s', (_, line) => expect(of(full + line)).toBe(of(full)))

  test('does not depend on the path of the pipeline or the time of the input', () => {
    expect(
      of(full, { mtimeMs: 5 }, { file: './other/p.yml', issues: [issue('FETTLE_INPUT_SUSPECT', 'odd', { severity: 'warn' })] }),
    ).toBe(of(full))
  })

  /** A plan with every key; a new key does not compile until it is added here, and is tested below. */
  const whole = (): Required<Omit<Plan, 'fingerprint' | 'input'>> & { readonly input: Required<InputFacts> } => {
    const { fingerprint, ...plan } = planOf(full)
    const span = { head: 1, from: 2, to: 3 }
    return {
      ...plan,
      headers: { 'general.connectId': 'Connect ID' },
      undone: 'warn',
      input: {
        ...plan.input,
        query: { sql: 'select 1', types: ['int32'] },
        packed: { as: 'gzip', bytes: 9 },
        skipped: { head: 1, tail: 0, from: 1, to: 9 },
        linesBefore: 1,
        emptyRows: 1,
        sections: [3],
        rejected: { rows: 1, reasons: { cells: 1 } },
        kept: 'in.csv',
        files: [{ path: 'in.csv', bytes: 9, sha256: 'ab', rows: 1, encoding: 'utf-8', headBytes: 5 }],
      },
      shard: { number: 1, of: 2, from: 0, asked: 0, span },
      target: 'dev',
      merged: 2,
      skipped: 1,
      register: [{ name: 'uk', snapshotDate: '2026-01-01', sha256: 'ab' }],
      profile: [],
      contract: { expect: 'known', columns: [] },
      retention: 86_400_000,
      events: { output: 'events.csv', mark: true },
      accept: { banding: ['A'], review: ['B'], pattern: { name: 'AB' } },
      candidates: { for: ['review'], limit: 5, budget: null, fetch: null },
      portfolio: { name: 'p', id: null, reference: null },
      screen: { datasets: ['SAN'], threshold: 75, countries: [], budget: null },
      audit: true,
      auditRegister: [{ name: 'uk', snapshotDate: '2026-01-01', sha256: 'ab' }],
      decide: { path: 'd.yml', asOf: null, table: { rules: [], otherwise: 'refer' }, waits: true },
      tree: { name: 't', fields: { Amount: { from: 'Total' } }, budget: null },
      dedupe: { keep: 'first' },
      decideOn: '2026-01-01',
      send: 'mapped',
      after: 'archive',
      reuse: { matched: 1, unmatched: 1, review: 1, screen: 1, candidates: 1, decide: 1 },
      companyNumbers: 'unreliable',
      precision: 0.95,
      known: { sent: 9, parts: [{ from: 0, rows: 9 }], rows: 2, choice: 'ab' },
    }
  }

  /** Keys of an object whose change changes the fingerprint of the plan that it becomes part of. */
  const identityOf = <T extends object>(part: T, planWith: (changed: T) => Omit<Plan, 'fingerprint'>): string[] =>
    Object.keys(part).filter(
      key =>
        fingerprintPlan(planWith({ ...part, [key]: /register/i.test(key) ? [] : 'another' })) !== fingerprintPlan(planWith(part)),
    )

  test('depends on these keys of a plan and of its input, and on no text for people', () => {
    expect(identityOf(whole(), plan => (typeof plan.input === 'string' ? { ...plan, input: FACTS } : plan)).sort()).toEqual(
      [
        ...[
          'version',
          'name',
          'service',
          'register',
          'input',
          'key',
          'target',
          'limit',
          'shard',
          'merged',
          'rows',
          'sent',
          'skipped',
          'collapse',
          'companyNumbers',
          'precision',
          'parts',
        ],
        ...[
          'mappings',
          'send',
          'enrich',
          'budget',
          'output',
          'accept',
          'audit',
          'auditRegister',
          'candidates',
          'portfolio',
          'events',
          'screen',
          'dedupe',
          'decide',
          'tree',
        ],
      ].sort(),
    )
    expect(identityOf(whole().input, input => ({ ...whole(), input })).sort()).toEqual(
      [
        ...[
          'path',
          'bytes',
          'files',
          'packed',
          'query',
          'skipped',
          'linesBefore',
          'sha256',
          'encoding',
          'bom',
          'delimiter',
          'quotes',
          'header',
        ],
        ...['columns', 'rows', 'rejected', 'emptyRows', 'sections', 'blankLines', 'lineEnd'],
      ].sort(),
    )
  })

  test('is the same with reworded texts', () => {
    const plan = whole()
    const reworded = {
      ...plan,
      description: 'other',
      tags: ['other'],
      preparation: ['unpacked from a gzip file'],
      issues: [issue('FETTLE_INPUT_SUSPECT', 'other', { severity: 'warn' })],
      input: { ...plan.input, delimiterEvidence: 'other' },
    }
    expect(fingerprintPlan(reworded)).toBe(fingerprintPlan(plan))
  })

  test('is the same without a key and with an undefined one', () => {
    const plan = planOf(full)
    expect(fingerprintPlan({ ...plan, target: undefined })).toBe(of(full))
    expect(fingerprintPlan({ ...plan, input: { ...plan.input, packed: undefined } } as unknown as Plan)).toBe(of(full))
    expect(fingerprintPlan({ ...plan, laterKey: 'x' } as Plan)).not.toBe(of(full))
  })

  test('the schema marks the keys that a resume may change, and those are outside of the fingerprint', () => {
    const live = ['checks', 'concurrency', 'decisions', 'headers', 'poll', 'report', 'retention', 'retry', 'undone'] as const
    const plan = planOf(
      `${full}job: { concurrency: 2 }\nretention: 30d\nenrich: { product: basic, headers: { general.connectId: Id } }\n`,
    )
    expect(liveSettingsOf(plan)).toEqual(Object.fromEntries(live.map(key => [key, plan[key]])))
    expect(FREE_KEYS).toEqual(expect.arrayContaining([...live]))
    expect(liveSettingsOf(plan).concurrency).toBe(2)
    expect(['collapse', 'parts', 'decisions', 'poll'].map(settingName)).toEqual([
      'job.collapse',
      'job.split',
      'review.decisions',
      'poll',
    ])
  })

  test('depends on everything that changes the work', () => {
    const others = [
      of(`${full}enrich: basicPlus`),
      of(`${full}budget: { rows: 100 }`),
      of(`${BASE}output: other.csv`),
      of(full.replace('suppliers', 'others')),
      of(`${BASE.replace('Name,', 'Id,')}output: o.csv`),
      of(full, { sha256: 'cd'.repeat(32) }),
      of(full, { encoding: 'windows-1252' }),
      of(full, {}, { limit: 5 }),
      of(full, {}, { service: { kind: 'remote', url: 'https://h/v1', rate: null, fileHosts: [], insecure: false } }),
    ]
    expect(new Set([of(full), ...others]).size).toBe(others.length + 1)
  })
})

test('inputOptionsOf returns the options to read the input', () => {
  expect(inputOptionsOf(pipelineOf(withInput('encoding: Latin1, delimiter: ";", quotes: relaxed')))).toEqual({
    path: 'in.csv',
    encoding: 'windows-1252',
    delimiter: ';',
    header: true,
    quotes: 'relaxed',
    sheet: null,
  })
})

test('a register that was imported again on the same day is a change', () => {
  const against = (sha256: string): Plan => ({
    ...planOf(BASE),
    register: [{ name: 'uk', snapshotDate: '2026-01-01', sha256 }],
  })
  expect(comparePlans(against('cd'), against('ab'))).toEqual([
    { what: 'register', was: 'uk of 2026-01-01 (sha256 ab)', is: 'uk of 2026-01-01 (sha256 cd)' },
  ])
})

describe('a key without special wording', () => {
  const withLaterKey = (laterKey: unknown): Plan => ({ ...planOf(BASE), laterKey }) as Plan

  test('is shown by explain and compared by diff', () => {
    expect(explainPlan(withLaterKey('Q3'))).toContain('\n\nsettings\n  laterKey: "Q3"\n')
    expect(explainPlan(planOf(BASE))).not.toContain('settings')
    expect(comparePlans(withLaterKey('Q4'), withLaterKey('Q3'))).toEqual([{ what: 'laterKey', was: '"Q3"', is: '"Q4"' }])
    expect(comparePlans(withLaterKey({ a: 1 }), planOf(BASE))).toEqual([{ what: 'laterKey', was: null, is: '{"a":1}' }])
    expect(comparePlans(planOf(BASE), planOf(BASE))).toEqual([])
    const whole = planOf(BASE)
    const known = { sent: whole.sent, parts: whole.parts, rows: 2, choice: 'a' }
    expect(comparePlans({ ...whole, sent: 0, parts: [], known } as Plan, whole)).toEqual([])
  })
})

describe('explain', () => {
  test('shows the whole plan', async () => {
    const text = `${BASE.replace('country: Country', 'country: { from: Country }, orgNumber: { from: Id, pad: 8 }')}description: For people.
enrich: basicPlus\nbudget: { rows: 100, credits: 50 }\nchecks: { matched: { warn: "< 90%", fail: "< 50%" } }
output: { path: out/o.csv, unmatched: out/u.csv }\nreport: { rows: review, mask: [phone] }`
    const service = {
      kind: 'remote',
      url: 'https://h/v1',
      rate: { requests: 5, perMs: 1000 },
      fileHosts: ['*.example.com'],
      insecure: false,
    } as const
    const { fingerprint, ...rest } = planOf(text, { encoding: 'windows-1252' }, { service })
    await expect(explainPlan({ ...rest, fingerprint: 'f'.repeat(64) })).toMatchFileSnapshot('explain.txt')
  })

  test('an empty input sends nothing', () => {
    expect(explainPlan(planOf(withInput('empty: skip'), { rows: 0 }))).toContain('requests\n  none: there are no rows')
  })
})

describe('a workbook as output', () => {
  const text = `${BASE}output: { path: out/a.xlsx, format: xlsx }\n`
  const found = (facts: Partial<InputFacts>, pipeline = text) => plan(pipeline, facts).issues.map(lineOf)

  test('is planned within the limits of Excel, and rejected beyond', () => {
    expect(planOf(text, { rows: 1_048_575 }).output?.format).toBe('xlsx')
    expect(found({ rows: 1_048_576 })).toEqual([
      'OUTPUT_LIMIT 4:37 output.format: xlsx: 1048576 rows, and a sheet holds 1048575 below its header',
    ])
    const own = text.replace('xlsx }', 'xlsx, columns: ["*"] }')
    expect(found({ columns: 16_384 }, own)).toEqual([])
    expect(found({ columns: 16_385 }, own)).toEqual([expect.stringContaining('16385 columns, and a sheet holds 16384')])
    expect(found({ rows: 1_000_000, columns: 100, bytes: 1e9 })).toEqual([expect.stringContaining('GiB of XML')])
    expect(
      found({ rows: 2_000_000, columns: 100, bytes: 2e9 }, text.replace('a.xlsx, format: xlsx', 'a.csv')),
    ).not.toContainEqual(expect.stringContaining('OUTPUT_LIMIT'))
  })

  test('the limit of rows is compared, not the rows of the input', () => {
    expect(plan(text, { rows: 2_000_000 }, { limit: 10 }).plan?.rows).toBe(10)
  })
})
