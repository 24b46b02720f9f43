/**
 * S19: no foreign text becomes a command of a CI runner. GitHub executes a line that begins with `::` after white space, and
 * `##[` anywhere; Azure `##vso[` anywhere, TeamCity `##teamcity[`. Every printed text may end up in such a log.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printError, printIssue } from '../../../src/cli/terminal/print-error.ts'
import { issue } from '../../../src/errors.ts'
import { FettleError } from '../../../src/index.ts'
import { RENDERERS, renderText, resultLine, safeJson } from '../../../src/report/index.ts'
import { reportOf } from '../../unit/report/fixtures.ts'

const PAYLOADS = [
  '::set-output name=x::y',
  '::stop-commands::pause',
  '  ::error file=a::b',
  '\u3000::warning::wide space',
  '\u00a0::add-mask::x',
  'ok\n::set-env name=PATH::/tmp',
  'ok\r::set-env name=PATH::/tmp',
  'ok\u2028::notice::x',
  '%0A::set-output name=x::y',
  '##[group]x',
  '##[set-output name=x]y',
  '##vso[task.setvariable variable=x]y',
  '##VSO[task.complete result=Succeeded]',
  "##teamcity[buildStatus text='fine']",
  '###[debug]x',
  '\u001b[0K::set-output name=x::y',
]

/** Lines a runner would obey. .NET's white space, which is what GitHub's runner trims, lies within `\s` and U+0085. */
const obeyed = (text: string): string[] =>
  text.split(/\r\n|[\n\r]/).filter(line => /^[\s\u0085]*::/.test(line) || /##(?:\[|vso\[|teamcity\[)/i.test(line))

test('the check itself detects commands', () => {
  for (const payload of PAYLOADS.filter(one => !one.startsWith('%') && !one.includes('\u2028') && !one.includes('\u001b')))
    expect(obeyed(payload), payload).not.toEqual([])
})

describe.each(PAYLOADS)('%j', payload => {
  test('in printed errors and issues', () => {
    const at = { file: payload, line: 1, column: 1 }
    const error = new FettleError('FETTLE_REJECTED', payload, {
      hint: payload,
      at,
      correlationId: payload,
      cause: new Error(payload),
    })
    expect(obeyed(printError(error, true))).toEqual([])
    expect(obeyed(printError(new Error(payload), true))).toEqual([])
    expect(obeyed(printIssue(issue('FETTLE_USAGE', payload, { hint: payload, at })))).toEqual([])
  })

  test('in every form of a report', () => {
    // Words of our own, times and the pipeline's name (a-z0-9-) cannot be foreign.
    const report = JSON.parse(JSON.stringify(reportOf('hostile')), (_, value) =>
      typeof value === 'string' && !/^\d{4}-|^[a-z][a-z0-9-]*$/.test(value) ? payload : value,
    )
    for (const [name, { render }] of Object.entries(RENDERERS)) expect(obeyed(render(report)), name).toEqual([])
    expect(obeyed(renderText(report, { width: 40 }))).toEqual([])
    expect(obeyed(resultLine(report))).toEqual([])
    expect(obeyed(safeJson({ [payload]: payload }, 2))).toEqual([])
  })
})

test('no mixture of the pieces is a command, for any line breaks', () => {
  const piece = fc.constantFrom(
    '::',
    ':',
    '#',
    '##',
    '[',
    'vso[',
    'teamcity[',
    ' ',
    '\n',
    '\r',
    '\u00a0',
    '\u3000',
    'a',
    '\u001b',
    '\u0085',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 40, max: 60 }), (pieces, width) => {
      const text = pieces.join('')
      expect(obeyed(printError(new FettleError('FETTLE_REJECTED', text, { hint: text }), false))).toEqual([])
      const report = reportOf('failedAtUpload')
      const results = report.results.map(one => ({ ...one, message: `${'word '.repeat(9)}${text}` }))
      for (const { render } of Object.values(RENDERERS)) expect(obeyed(render({ ...report, results }))).toEqual([])
      expect(obeyed(renderText({ ...report, results }, { width }))).toEqual([])
    }),
    { numRuns: 300 },
  )
})
