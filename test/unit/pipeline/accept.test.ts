/** The keys `accept` and `candidates`: their forms, and what is refused. */
import { expect, test } from 'vitest'
import { BASE, parseYaml } from './support.ts'

const OUTPUT = 'output: o.csv\n'
const parsed = (accept: string, rest = OUTPUT) => parseYaml(`${BASE}${rest}accept: ${accept}\n`)

test.each([
  ['{ banding: [A, B], review: [C] }', { banding: ['A', 'B'], review: ['C'], pattern: null }],
  ['{ review: [D] }', { banding: null, review: ['D'], pattern: null }],
  [
    '{ pattern: { name: c-a, post code: [A, F-F], 1: B } }',
    { banding: null, review: [], pattern: { name: 'ABC', 'post code': 'AF', 1: 'B' } },
  ],
])('%s', (text, accept) => {
  const { pipeline, issues } = parsed(text)
  expect(issues).toEqual([])
  expect(pipeline?.accept).toEqual(accept)
})

test.each([
  ['{}', OUTPUT, 'expected banding, review or pattern'],
  ['{ banding: [A], review: [C, a] }', OUTPUT, 'the band "A" is in accept.banding too'],
  ['{ banding: [A] }', '', 'the pipeline has no output'],
  [
    '{ banding: [A] }',
    `${OUTPUT}enrich: { product: basic, tags: [contact.city] }\n`,
    'companies are known by general.connectId or general.safeNumber',
  ],
  ['{ pattern: { name: AB } }', OUTPUT, 'letters, such as A, A-B or [A, C]'],
  ['{ band: [A] }', OUTPUT, 'band'],
])('%s is refused', (text, rest, words) => {
  const { pipeline, issues } = parsed(text, rest)
  expect(pipeline).toBeNull()
  expect(issues.map(one => one.message).join('\n')).toContain(words)
})

test('candidates has defaults, and names a row once', () => {
  const { pipeline, issues } = parseYaml(`${BASE}${OUTPUT}candidates: { for: [unmatched, review, unmatched] }\n`)
  expect(issues).toEqual([])
  expect(pipeline?.candidates).toEqual({ for: ['unmatched', 'review'], limit: 500, budget: null, fetch: null })
})

test.each([
  [`${BASE}candidates: {}\n`, 'the pipeline has no output'],
  [`${BASE}${OUTPUT}candidates: { for: [] }\n`, 'a list of review and unmatched'],
  [`name: a\ninput: in.csv\nmappings: { orgNumber: No, country: C }\n${OUTPUT}candidates: {}\n`, 'mappings lacks one of them'],
])('candidates: %s is refused', (text, words) => {
  const { pipeline, issues } = parseYaml(text)
  expect(pipeline).toBeNull()
  expect(issues.map(one => one.message).join('\n')).toContain(words)
})
