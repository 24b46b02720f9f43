/** Foreign text of every kind at every place of a report: fragments that some format obeys, and reports that hold a text wherever theirs was foreign. */
import fc from 'fast-check'
import type { Report } from '../../../src/report/index.ts'
import { HOSTILE, reportOf } from './fixtures.ts'

/** What some reader of some format would act on. */
export const FRAGMENTS = [
  ...HOSTILE,
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '\uff1d1',
  '=HYPERLINK("http://evil.example","x")',
  "=cmd|' /C calc'!A0",
  '<img src=x onerror=window.owned=1>',
  '" onmouseover="window.owned=1',
  "' autofocus onfocus='window.owned=1",
  '</p><script>window.owned=1</script>',
  '<a href="javascript:window.owned=1">x</a>',
  '<!--',
  '-->',
  '<![CDATA[',
  ']]>',
  '<?x?>',
  '&lt;script&gt;',
  '&#60;b&#62;',
  '&amp;amp;',
  '&#x202e;',
  '</details>',
  '</td></tr></table>',
  '| a | b |\n|---|---|',
  '\n\n# head\n',
  '\n- item',
  '\n```\n',
  '``',
  '~~~',
  '> quote',
  '[x](javascript:alert(1))',
  '![x](http://evil.example/x.png)',
  '[x]: http://evil.example',
  '<http://evil.example>',
  'http://evil.example',
  'www.evil.example',
  'me@evil.example',
  '@octocat',
  '#123',
  '[^1]',
  '[^1]: note',
  '- [ ] task',
  '~~gone~~',
  '__bold__',
  '$x$',
  '\\',
  '\\|',
  '\\`',
  '::error::x',
  '\n::set-output name=a::b',
  '::add-mask::x',
  '%0A::warning::x',
  '%25',
  'status<<FETTLE',
  '\nFETTLE\n',
  'FETTLE',
  '\nstatus=success\n',
  '##[error]x',
  '##vso[task.complete result=Succeeded]',
  'section_start:1:x\r\u001b[0K',
  '\u001b]8;;http://evil.example\u001b\\x\u001b]8;;\u001b\\',
  '\u001b[2J',
  '\u202e',
  '\u2066',
  '\u200f',
  '\ud800',
  '\udfff',
  '\0',
  '\u0001',
  '\ufffe',
  '\u2028',
  '\u2029',
  '\u0085',
  '\ufeff',
  '😀',
  '_x0041_',
  '_x000D_',
  '# EOF',
  '"} 1\nfettle_rows 2',
  '__proto__',
  'constructor',
  '${7*7}',
  '{{7*7}}',
  '$(id)',
  ',',
  ';',
  ':',
  ' ',
  'Acme',
] as const

/** Some of them after each other. */
const hostileText = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 5 }).map(parts => parts.join(''))

/** Words of ours: statuses, stages, outcomes, times and codes. */
const OWN = /^(?:\d{4}-\d\d-\d\dT[\d:.]+Z|[a-z][a-zA-Z]*|FETTLE_\w+|fettle\/\w+\/v\d)$/

/** The report of hostile text with `texts`, one after the other, wherever a text is foreign. */
export function reportWith(texts: readonly string[]): Report {
  let at = 0
  const names = new Set([
    'name',
    'runId',
    'message',
    'hint',
    'path',
    'service',
    'assertion',
    'expected',
    'actual',
    'resume',
    'correlationId',
    'file',
    'header',
    'why',
    'key',
    'id',
    'note',
    'column',
    'encoding',
    'directory',
  ])
  return JSON.parse(JSON.stringify(reportOf('hostile')), (key, value) => {
    if (typeof value !== 'string' || (OWN.test(value) && !names.has(key)) || key === 'type' || key === 'kind') return value
    if (OWN.test(value) && value.length < 9 && key === 'name') return value
    return texts[at++ % texts.length]
  })
}

/** Such reports, and the texts in them. */
export const hostileReports = fc
  .array(hostileText, { minLength: 1, maxLength: 12 })
  .map(texts => ({ texts, report: reportWith(texts) }))
