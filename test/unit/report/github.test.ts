/** What GitHub Actions is told: read back as its runner reads it, and within its limits at 50,000 issues. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { issue } from '../../../src/errors.ts'
import { escapeCommand, escapeCommandProperty } from '../../../src/report/formats/escape.ts'
import {
  githubAnnotations,
  githubOutputFile,
  githubOutputs,
  type PipelineResult,
  type Report,
  renderMarkdowns,
} from '../../../src/report/index.ts'
import { runs } from '../../support/runs.ts'
import { HOSTILE, reportOf } from './fixtures.ts'

/** A command as the runner reads it: properties parted by commas, escapes undone; null for a line that is none. */
function read(line: string): { command: string; properties: Record<string, string>; data: string } | null {
  const [, command = '', list = '', data = ''] = /^::([a-z-]+)(?: (.*?))?::(.*)$/s.exec(line) ?? []
  if (command === '') return null
  const undo = (text: string, property: boolean): string => {
    const plain = text.replaceAll('%0D', '\r').replaceAll('%0A', '\n')
    return (property ? plain.replaceAll('%3A', ':').replaceAll('%2C', ',') : plain).replaceAll('%25', '%')
  }
  const properties = Object.fromEntries(
    list
      .split(',')
      .filter(one => one !== '')
      .map(one => [one.slice(0, one.indexOf('=')), undo(one.slice(one.indexOf('=') + 1), true)]),
  )
  return { command, properties, data: undo(data, false) }
}

/** Values of a step as the runner reads them from the file that GITHUB_OUTPUT names. */
function readOutputs(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  const lines = text.split('\n')
  for (let at = 0; at < lines.length - 1; ) {
    const [, name = '', end = ''] = /^([a-z_]+)<<(\S+)$/.exec(lines[at++]!) ?? []
    expect(name).not.toBe('')
    const value: string[] = []
    while (lines[at] !== end) {
      if (at >= lines.length) throw new Error(`${name} does not end`)
      value.push(lines[at++]!)
    }
    at++
    values[name] = value.join('\n')
  }
  return values
}

const here = (file: string): string => file

/** A report with so many issues, each on a line of its own. */
function withIssues(count: number, rest: Partial<Report['results'][number]['issues'][number]> = {}): Report {
  const report = reportOf('finished')
  const issues = Array.from({ length: count }, (_, n) => ({
    ...report.results[0]!.issues[0]!,
    message: `problem ${n} ${'x'.repeat(400)}`,
    at: { file: 'data/suppliers.csv', line: n + 2, column: 1 },
    ...rest,
  }))
  return { ...report, results: [{ ...report.results[0]!, issues }] }
}

describe('escaping', () => {
  const piece = fc.constantFrom('%', '\r', '\n', ':', ',', '::', '%0A', '%25', '%3A', 'a', ' ', '=', 'é', '😀')
  const text = fc.array(piece, { maxLength: 20 }).map(pieces => pieces.join(''))

  test('comes back as it was, on one line, with nothing that ends a property', () => {
    fc.assert(
      fc.property(text, text, (data, property) => {
        const line = `::error title=${escapeCommandProperty(property)}::${escapeCommand(data)}`
        expect(line).not.toMatch(/[\r\n]/)
        expect(read(line)).toEqual({ command: 'error', properties: { title: property }, data })
      }),
      { numRuns: runs(400, 2_000) },
    )
  })

  test('no hostile text gets out of its annotation', () => {
    for (const hostile of HOSTILE) {
      const at = { file: hostile, line: 1, column: 1 }
      const told: PipelineResult[] = [
        { name: hostile, exitCode: 2, issues: [issue('FETTLE_USAGE', hostile, { hint: hostile, at })] },
      ]
      const [line = '', ...more] = githubAnnotations(told, here)
      expect(more).toEqual([])
      expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202e]/)
      expect(read(line)?.command).toBe('error')
      expect(Object.keys(read(line)?.properties ?? {})).toEqual(['file', 'line', 'col', 'title'])
    }
  })
})

describe('annotations', () => {
  test('a warning is annotated on its line, a check on its pipeline; an error names the resume command', () => {
    const lines = githubAnnotations([reportOf('finished')], here).map(read)
    expect(lines).toEqual([
      {
        command: 'warning',
        properties: { file: 'pipelines/nightly.yml', title: 'nightly-suppliers: check matched' },
        data: '424 of 498 (85.1%), required ≥ 90%',
      },
      {
        command: 'warning',
        properties: { file: 'pipelines/nightly.yml', line: '14', col: '5', title: 'nightly-suppliers: FETTLE_INPUT_SUSPECT' },
        data: expect.stringContaining('look one digit short.\nPadding is on'),
      },
    ])
    const [stopped] = githubAnnotations([reportOf('pausedAtMatch')], here).map(read)
    expect(stopped).toMatchObject({
      command: 'error',
      data: expect.stringMatching(/\nResume with: fettle resume nightly-suppliers-\S+$/),
    })
  })

  test('a file outside the checkout is named in the text', () => {
    const [line] = githubAnnotations([withIssues(1)], () => null)
      .slice(-1)
      .map(read)
    expect(line?.properties).not.toHaveProperty('file')
    expect(line?.data).toMatch(/^data\/suppliers\.csv:2:1\n/)
  })

  test.each([0, 1, 9, 10, 11, 50_000])('of %i issues at most ten lines, and the last counts the rest', count => {
    const lines = githubAnnotations(
      [{ ...withIssues(count), results: withIssues(count).results.map(one => ({ ...one, checks: [] })) }],
      here,
    )
    expect(lines).toHaveLength(Math.min(count, 10))
    if (count > 10) expect(read(lines[9]!)?.data).toContain(`and ${(count - 9).toLocaleString('en')} more`)
  })

  test('errors come first, and an error among the rest makes the last line one', () => {
    const many = withIssues(30)
    const mixed = {
      ...many,
      results: [
        {
          ...many.results[0]!,
          issues: many.results[0]!.issues.map((one, n) => ({
            ...one,
            severity: n >= 15 ? ('error' as const) : ('warn' as const),
          })),
        },
      ],
    }
    const levels = githubAnnotations([mixed], here).map(line => read(line)?.command)
    expect(levels).toEqual(Array.from({ length: 10 }, () => 'error'))
    expect(read(githubAnnotations([mixed], here)[9]!)?.data).toContain('and 22 more: 6 errors, 16 warnings')
  })
})

describe('the summary', () => {
  test.each([1, 50_000])('stays under 900 KB with %i issues, whole sections only', count => {
    const text = renderMarkdowns([withIssues(count)])
    expect(Buffer.byteLength(text)).toBeLessThan(900_000)
    expect(text).toContain('### Alerts')
  })

  test('forty pipelines with 50,000 issues each share it', () => {
    const one = withIssues(50_000, { message: '<'.repeat(5_000) })
    const text = renderMarkdowns(Array.from({ length: 40 }, () => one))
    expect(Buffer.byteLength(text)).toBeLessThan(900_000)
    expect(text.match(/^### . nightly/gm)).toHaveLength(40)
  })

  test('in little room the verdict stays and the rest is named', () => {
    const text = renderMarkdowns([reportOf('finished')], 1_500)
    expect(Buffer.byteLength(text)).toBeLessThan(1_500)
    expect(text).toMatch(/^### ! nightly-suppliers/)
    expect(text).toContain('Left out for length')
  })
})

describe('outputs', () => {
  test('of one pipeline', () => {
    expect(readOutputs(githubOutputFile(githubOutputs([reportOf('finished')], 0)))).toEqual({
      status: 'warn',
      exit_code: '0',
      run_id: 'nightly-suppliers-20251120-021701-k3f9',
      matched: '412',
      unmatched: '43',
      review: '31',
      match_rate: '0.8514056224899599',
      output: 'out/suppliers.csv',
      report: 'fettle-runs/nightly-suppliers-20251120-021701-k3f9/report.json',
    })
  })

  test('of several: the worst status, counts added up, paths a line each; what one of them does not know is empty', () => {
    const both = githubOutputs([reportOf('finished'), reportOf('finished')], 1)
    expect(both).toMatchObject({
      status: 'warn',
      exit_code: '1',
      matched: '824',
      match_rate: '0.8514056224899599',
      output: 'out/suppliers.csv\nout/suppliers.csv',
    })
    const refused = githubOutputs([reportOf('finished'), { name: 'x', exitCode: 2, issues: [] }], 2)
    expect(refused).toMatchObject({ status: 'error', exit_code: '2', matched: '', match_rate: '' })
    expect(githubOutputs([reportOf('pausedAtMatch')], 75)).toMatchObject({ matched: '', review: '', output: '' })
  })

  test('no value ends another', () => {
    const value = fc
      .array(fc.constantFrom('FETTLE', 'FETTLE_', '\n', 'a', '<<', 'status<<FETTLE'), { maxLength: 8 })
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(readOutputs(githubOutputFile({ one, other }))).toEqual({ one, other })
      }),
    )
  })
})
