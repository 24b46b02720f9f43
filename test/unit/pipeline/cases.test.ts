/** Faults P2 to P42: every kind of invalid pipeline file reports its code, its place and a helpful message. */
import { expect, test } from 'vitest'
import { TEXT_CASES } from '../../system/bad-input/pipeline-text.ts'
import { BASE, lineOf, parseYaml } from './support.ts'

const mappings = (rest: string) => `name: a\ninput: in.csv\nmappings: { name: Name, country: C, ${rest} }`

test.each(TEXT_CASES.map((one, index) => [`${index} ${one[0]}`, one] as const))('%s', (_, [, text, ...problems]) => {
  const { issues } = parseYaml(text)
  const lines = issues.map(one => `${lineOf(one)} | ${one.hint}`)
  expect(lines.length, lines.join('\n')).toBe(problems.length)
  for (const [index, [where, ...words]] of problems.entries()) {
    expect(`${lines[index]?.slice(0, where.length + 10)}`).toBe(`PIPELINE_${where} `)
    for (const word of words) expect(lines[index]).toContain(word)
  }
})

test.each(['NO', 'no', 'on', 'off', 'yes', 'Y'])('P15 %s is text in YAML 1.2, as key and as value', word => {
  const { pipeline, issues } = parseYaml(mappings(`town: ${word}`))
  expect(issues).toEqual([])
  expect(pipeline?.mappings.find(one => one.mapping === 'town')?.from).toEqual([word])
})

test('P13 does not change Object.prototype', () => {
  parseYaml(`${BASE}__proto__: { polluted: yes }\nvars: { __proto__: x, constructor: y }`)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test.each([
  `${BASE}service: { url: "https://u:canary@h/v1", username: me, password: canary }`,
  `${BASE}service: { password: "x-canary" }`,
  `${BASE}service: { password: 7 }`,
  `${BASE}service: { password: [canary] }`,
  `${BASE}service: { password: "\${PASSWORD:-canary}" }`,
  `${BASE}vars: { pw: canary }\nservice: { password: "\${vars.pw}" }`,
  `${BASE}service: { password: "\${A}canary" }`,
  `${BASE}service: { token: canary }`,
  `${BASE}apiKey: canary`,
])('P25, P27 a secret in the file is refused and not repeated: %s', text => {
  const { pipeline, issues, secrets } = parseYaml(text, { env: { A: 'canary', PASSWORD: 'canary' } })
  expect(pipeline).toBeNull()
  expect(secrets).toEqual({ username: null, password: null, notify: [] })
  expect(issues.some(one => one.severity === 'error')).toBe(true)
  expect(JSON.stringify(issues)).not.toContain('canary')
  if (!text.includes('password: [')) expect(issues.map(one => one.code)).toContain('FETTLE_PIPELINE_SECRET')
})

test('values from the environment never enter a message', () => {
  const env = { V: 'canary value ~', P: 'canary', U: 'https://canary:canary@h/v1' }
  const text = `name: "\${V}"\ninput: { path: "\${V}", header: "\${V}", rows: { min: "\${V}" } }\nmappings: { name: N, "\${V}": x }
service: { url: "\${U}", username: "\${V}", password: "\${P}", rate: { requests: "\${V}", per: "\${V}" } }
enrich: "\${V}"\noutput: { path: o.csv, format: "\${V}" }\nchecks: { matched: { warn: "\${V}" } }\npoll: { every: "\${V}" }\nversion: "\${V}"`
  const { issues } = parseYaml(text, { env })
  expect(issues.length).toBeGreaterThan(9)
  expect(JSON.stringify(issues)).not.toContain('canary')
})

test('reports 50 issues and counts the rest', () => {
  const { issues } = parseYaml(BASE + Array.from({ length: 80 }, (_, index) => `k${index}: x\n`).join(''))
  expect(issues.length).toBe(51)
  expect(issues.at(-1)).toMatchObject({ count: 30, message: 'and 30 more problems' })
})

test('issues are in the order of the file, each with file, line and column', () => {
  const { issues } = parseYaml(
    'name: A B\ninput: 5\nmappings: { name: 6, town: T, foo: x }\nretry: { attempts: 99 }\njob: { collapse: true }',
  )
  expect(issues.map(one => one.at)).toEqual([
    { file: 'p.yml', line: 1, column: 7 },
    { file: 'p.yml', line: 2, column: 8 },
    { file: 'p.yml', line: 3, column: 19 },
    { file: 'p.yml', line: 3, column: 31 },
    { file: 'p.yml', line: 4, column: 20 },
    { file: 'p.yml', line: 5, column: 18 },
  ])
})
