/** The key `accept`: its forms, and what it must not say. */
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
