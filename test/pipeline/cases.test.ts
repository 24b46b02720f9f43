/** Faults P2 to P42: every kind of wrong pipeline file gives its code, its place, and a sentence that helps. */
import { expect, test } from 'vitest'
import { BASE, lineOf, parseYaml } from './support.ts'

/** Name, text, and for each problem `CODE line:col` with words that its message and hint must hold. */
type Case = readonly [name: string, text: string, ...problems: (readonly [where: string, ...words: string[]])[]]

const mappings = (rest: string) => `name: a\ninput: in.csv\nmappings: { name: Name, country: C, ${rest} }`
const outputs = (rest: string) => `${BASE}output: ${rest}`

// biome-ignore format: a table reads best with few lines a row
const CASES: readonly Case[] = [
  ['P2 nothing', '', ['EMPTY -:-', 'fettle init']],
  ['P2 only comments', '# one\n# two\n', ['EMPTY -:-', 'empty']],
  ['P3 too large', `${BASE}# ${'x'.repeat(256 * 1024)}`, ['READ -:-', '256 KiB']],
  ['P5 tab', 'name: a\ninput:\n\tpath: x\n', ['SYNTAX 3:1', 'tab', 'spaces']],
  ['P6 item too far in', `${BASE}tags:\n - a\n   - b\n`, ['SYNTAX 5:4', 'expected a list', '"a - b"', 'line 6', 'indentation']],
  ['P6 text for a list', `${BASE}tags: a`, ['VALUE 4:7', 'expected a list', 'the text "a"']],
  ['${} not in quotes', `${BASE}budget: { rows: ${'$'}{MIN} }`, ['SYNTAX 4:18', 'must be in quotes']],
  ['unclosed', 'name: a\ntags: [a, b\ninput: x', ['SYNTAX 3:1', 'Flow sequence']],
  ['P7 key twice', `${BASE}name: b\n`, ['DUPLICATE 4:1', 'lines 1 and 4']],
  ['P8 two documents', `${BASE}---\na: b`, ['SYNTAX 4:1', 'One pipeline per file']],
  ['P8 list', '- a', ['VALUE 1:1', 'name, input and mappings', 'a list']],
  ['P8 scalar', 'hello', ['VALUE 1:1', 'name, input and mappings']],
  ['P9 misspelt', 'name: a\ninput: b\nmapings: {}', ['MISSING 1:1', 'mappings is missing', 'For example'], ['KEY 3:1', 'did you mean mappings?']],
  ['P9 foreign', `${BASE}steps: []\nneeds: x`, ['KEY 4:1', '"steps" is not part of a pipeline'], ['KEY 5:1', '"needs"']],
  ['P9 in the wrong place', `${BASE}delimiter: ";"`, ['KEY 4:1', 'belongs under input']],
  ['P9 below', `${BASE}retry: { atempts: 3 }`, ['KEY 4:10', 'part of retry; did you mean attempts?']],
  ['P10 tag', `${BASE}tags: !foo [a]`, ['TAG 4:7', '!foo', 'plainly']],
  ['P10 function tag', `${BASE}description: !!js/function "x"`, ['TAG 4:14', '!!js/function']],
  ['P10 binary and text tags', `${BASE}description: !!binary aGk=\ntags: [!!str 5]`, ['TAG 4:14', '!!binary'], ['TAG 5:8', '!!str']],
  ['directive', `%YAML 1.1\n---\n${BASE}`, ['SYNTAX 1:1', 'directives']],
  ['P11 bomb', bomb(), ['SYNTAX', 'too many aliases']],
  ['P11 self', 'tags: &x [*x]', ['SYNTAX 1:11', 'contains itself']],
  ['P11 unresolved', 'tags: [*x]', ['SYNTAX 1:8', '*x', 'no anchor']],
  ['P12 brackets', `tags: ${'['.repeat(65)}`, ['DEPTH', 'deeper than 64']],
  ['P13 prototype', `${BASE}__proto__: { a: b }\nconstructor: c\ntoString: d`, ['KEY 4:1', '"__proto__"'], ['KEY 5:1', '"constructor"'], ['KEY 6:1', '"toString"']],
  ['P13 as a variable', `${BASE}vars: { __proto__: x }`, ['KEY 4:9', '"__proto__"']],
  ['P14 merge', `${BASE}<<: { tags: [a] }`, ['TAG 4:1', '<<']],
  ['P15 name', 'name: 123\ninput: a\nmappings: { name: N, country: C }', ['TEXT 1:7', 'the number 123', 'put it in quotes', '"123"']],
  ['P15 zeros', mappings('tradingName: 0012'), ['TEXT', 'the number 12, written "0012"', 'Write "0012"']],
  ['P15 fraction', mappings('tradingName: 1.10'), ['TEXT', 'the number 1.1, written "1.10"']],
  ['P15 large', mappings('tradingName: 12345678901234567890'), ['TEXT', 'written "12345678901234567890"']],
  ['P15 true', mappings('tradingName: true'), ['TEXT', 'found true']],
  ['P15 nothing', mappings('tradingName: ~'), ['VALUE', 'found nothing']],
  ['P16 all at once', 'version: 1', ['MISSING 1:1', 'name: suppliers'], ['MISSING 1:1', 'input: data'], ['MISSING 1:1', 'mappings: {']],
  ['P17 capitals', 'name: Nightly Süppliers!\ninput: a\nmappings: { name: N, country: C }', ['VALUE 1:7', 'a-z', 'Write name: nightly-suppliers']],
  ['P17 dash', 'name: -a\ninput: a\nmappings: { name: N, country: C }', ['VALUE 1:7', 'Write name: a']],
  ['P17 empty', 'name: ""\ninput: a\nmappings: { name: N, country: C }', ['VALUE 1:7', 'an empty text']],
  ['P17 long', `name: ${'a'.repeat(81)}\ninput: a\nmappings: { name: N, country: C }`, ['VALUE 1:7', '80 characters']],
  ['P17 line end', 'name: "a\\nb"\ninput: a\nmappings: { name: N, country: C }', ['VALUE 1:7', '"a\\u000ab"', 'Write name: a-b']],
  ['P18', mappings('companyName: N'), ['KEY 3:37', 'not a mapping the service knows; did you mean name?', 'companyId, orgNumber, name', 'personalLimit']],
  ['P20 from', mappings('email: { from: [] }'), ['VALUE', 'mappings.email.from', 'an empty list']],
  ['P20 pad', mappings('email: { from: E, pad: -1 }'), ['VALUE', 'mappings.email.pad', '1 to 32', '-1']],
  ['P20 optional', mappings('email: { from: E, optional: "yes" }'), ['VALUE', 'true or false', '"yes"']],
  ['P20 empty header', mappings('email: ""'), ['VALUE', 'a header of the input', 'an empty text']],
  ['P20 index', mappings('email: { index: -1 }, phone: { index: 1.5 }, town: { index: "01" }, region: { index: "1e2" }'),
    ['VALUE', '-1'], ['VALUE', '1.5'], ['VALUE', 'the text "01"'], ['VALUE', 'the text "1e2"']],
  ['P20 both, neither', mappings('email: { from: E, index: 1 }, phone: {}'), ['VALUE', 'either from or index'], ['VALUE', 'either from or index']],
  ['P21', 'name: a\ninput: { path: x, header: false, key: Id }\nmappings: { name: { index: 0 }, country: C }', ['MAPPING 2:39', 'input.header is false', '{ index: 0 }'], ['MAPPING 3:42', '"C"']],
  ['P22 nothing to match on', 'name: a\ninput: x\nmappings: { town: T, country: C }', ['MAPPING 3:11', 'nothing to match on', 'companyId, orgNumber, vatNumber, taxCode']],
  ['P22 no country', 'name: a\ninput: x\nmappings: { name: N }', ['MAPPING 3:11', 'country']],
  ['P23', 'name: a\ninput: { path: x, header: "yes", encoding: utf-9, delimiter: "::", quotes: no }\nmappings: { name: N, country: C }',
    ['VALUE 2:27', 'true or false'], ['VALUE 2:44', 'windows-1252', '"utf-9"'], ['VALUE 2:62', 'one character'], ['VALUE 2:76', 'strict, relaxed', '"no"']],
  ['P23 number, empty, list', 'name: a\ninput: { path: x, header: 1, delimiter: "" }\nmappings: { name: N, country: C }', ['VALUE 2:27', 'the number 1'], ['VALUE 2:41', 'an empty text']],
  ['P23 list', 'name: a\ninput: { path: x, delimiter: [",", ";"] }\nmappings: { name: N, country: C }', ['VALUE 2:30', 'one character', 'a list']],
  ['P24 order', 'name: a\ninput: { path: x, rows: { min: 5, max: 1 } }\nmappings: { name: N, country: C }', ['VALUE 2:25', 'min 5 is more than max 1']],
  ['P24 form', 'name: a\ninput: { path: x, rows: { min: -1, max: many } }\nmappings: { name: N, country: C }', ['VALUE 2:32', '-1'], ['VALUE 2:41', '"many"']],
  ['P25 no scheme', `${BASE}service: host.example/v1`, ['URL 4:10', 'no scheme']],
  ['P25 nearly embedded', `${BASE}service: embeded`, ['URL 4:10', 'Did you mean embedded?']],
  ['P25 ftp', `${BASE}service: ftp://host/v1`, ['URL 4:10', 'scheme ftp:']],
  ['P25 query', `${BASE}service: https://host/v1?a=b`, ['URL 4:10', 'query']],
  ['P25 fragment', `${BASE}service: { url: "https://host/v1#a" }`, ['URL 4:17', 'fragment']],
  ['P25 no version', `${BASE}service: https://host/api/`, ['URL 4:10', '/v1']],
  ['P25 tab in it', `${BASE}service: "https://ho\\tst/v1"`, ['URL 4:10', 'control character']],
  ['P26', `${BASE}service: http://10.0.0.1/v1`, ['URL 4:10', 'http://', 'service.insecure']],
  ['P29', `${BASE}description: "\${A"\ntags: ["\${}", "\${A:-\${B}}", "\${file:x}", "\${a b}"]`,
    ['VARIABLE 4:14', 'never closed'], ['VARIABLE 5:8', 'names nothing'], ['VARIABLE 5:15', 'nesting'], ['VARIABLE 5:29', '${file:x}'], ['VARIABLE 5:42', 'not well formed']],
  ['P32', `${BASE}vars: { country: GB }\ndescription: \${vars.contry}`, ['VARIABLE 5:14', 'did you mean country?', 'Declared: country']],
  ['P33 forms', `${BASE}poll: { every: 10, max: -5m, timeout: 1e99s }`, ['VALUE 4:16', '500ms, 30s, 5m'], ['VALUE 4:25', '"-5m"'], ['VALUE 4:39', '"1e99s"']],
  ['P33 words, zero', `${BASE}poll: { every: 0, timeout: 2 hours }`, ['VALUE 4:16', 'the number 0'], ['VALUE 4:28', '"2 hours"']],
  ['P33 bounds', `${BASE}poll: { every: 499ms, max: 2h, timeout: 8d }`, ['VALUE 4:16', 'from 500ms'], ['VALUE 4:28', 'to 1h'], ['VALUE 4:41', 'to 7d']],
  ['P33 order', `${BASE}poll: { every: 40s, timeout: 20s }`, ['VALUE 4:16', 'more than poll.max, 30s'], ['VALUE 4:30', 'less than poll.every, 40s']],
  ['P34 attempts', `${BASE}retry: { attempts: 0 }`, ['VALUE 4:20', '1 to 10']],
  ['P34 attempts', `${BASE}retry: { attempts: 11 }`, ['VALUE 4:20', '1 to 10']],
  ['P34 attempts', `${BASE}retry: { attempts: many }`, ['VALUE 4:20', '1 to 10', '"many"']],
  ['P34 concurrency', `${BASE}job: { concurrency: 0, split: 0 }`, ['VALUE 4:21', '1 to 32'], ['VALUE 4:31', 'from 1']],
  ['P34 concurrency', `${BASE}job: { concurrency: 1e6, split: 1.5 }`, ['VALUE 4:21', 'written "1e6"'], ['VALUE 4:33', '1.5']],
  ['P34 concurrency', `${BASE}job: { concurrency: max }`, ['VALUE 4:21', '"max"']],
  ['P34 budget', `${BASE}budget: { rows: -1, credits: many }`, ['VALUE 4:17', 'from 1'], ['VALUE 4:30', '"many"']],
  ['P34 credits without enrich', `${BASE}budget: { credits: 5 }`, ['VALUE 4:20', 'nothing is enriched']],
  ['collapse', `${BASE}job: { collapse: true }`, ['UNSUPPORTED 4:18', 'cannot collapse']],
  ['P35 product', outputs('o.csv\nenrich: basix'), ['VALUE 5:9', 'none, basic, basicPlus, standard', 'did you mean basic?']],
  ['P35 number', outputs('o.csv\nenrich: 5'), ['VALUE 5:9', 'one of', 'the number 5']],
  ['P35 tags', outputs('o.csv\nenrich: { product: basic, tags: [general.safeNumbr, general.vatNumber, general.siret, general.siret] }'),
    ['VALUE 5:34', 'did you mean general.safeNumber?'], ['VALUE 5:53', 'not a tag of basic but of basicPlus'], ['VALUE 5:87', 'stands twice']],
  ['P35 no tags', outputs('o.csv\nenrich: { product: basic, tags: [] }'), ['VALUE 5:33', 'an empty list']],
  ['P35 no output', `${BASE}enrich: basic`, ['VALUE 4:9', 'paid data would go nowhere']],
  ['output without enrich', outputs('o.csv\nenrich: none'), ['VALUE 5:9', 'no rows to write']],
  ['P36 unknown', `${BASE}checks: { match: { warn: "< 90%" } }`, ['KEY 4:11', 'matched, unmatched, review, duplicates, failed, drift']],
  ['P36 forms', `${BASE}checks: { matched: { warn: "90", fail: "< 150%" }, failed: { warn: "=< 5" }, review: { fail: .nan }, unmatched: { fail: .inf } }`,
    ['VALUE 4:28', '"< 90%"', '"90"'], ['VALUE 4:40', '"< 150%"'], ['VALUE 4:68', '"=< 5"'], ['VALUE 4:94', '.nan'], ['VALUE 4:121', '.inf']],
  ['P36 share only', `${BASE}checks: { drift: { warn: "> 5" } }`, ['VALUE 4:26', 'with a share']],
  ['P36 neither', `${BASE}checks: { failed: {} }`, ['VALUE 4:19', 'warn, fail or both']],
  ['P36 fraction of a row', `${BASE}checks: { failed: { warn: "> 1.5" } }`, ['VALUE 4:27', '"> 1.5"']],
  ['P37 parent', outputs('../x.csv'), ['PATH 4:9', '"../x.csv" is outside the project']],
  ['P37 parent within', outputs('a/../../x.csv'), ['PATH 4:9', 'outside the project']],
  ['P37 absolute', outputs('/etc/x.csv'), ['PATH 4:9', 'outside the project']],
  ['P37 home', outputs('"~/x.csv"'), ['PATH 4:9', '~']],
  ['P37 share', outputs('"\\\\\\\\server\\\\x"'), ['PATH 4:9', 'network path']],
  ['P37 drive', outputs('"C:\\\\x.csv"'), ['PATH 4:9', 'drive']],
  ['P37 device', outputs('out/con.csv'), ['PATH 4:9', 'not a portable name', 'con.csv']],
  ['P37 NUL', outputs('"a\\0b.csv"'), ['PATH 4:9', 'control character', '\\u0000']],
  ['P37 dot and space', outputs('{ path: out., review: "r " }'), ['PATH 4:17', 'ends in a dot'], ['PATH 4:31', 'ends in a dot or a space']],
  ['P37 long', outputs(`${'x'.repeat(300)}`), ['PATH 4:9', 'longer than 240 bytes']],
  ['P37 folder', outputs('out/'), ['PATH 4:9', 'folder']],
  ['P38 input', outputs('./in.csv'), ['PATH 4:9', 'overwrite the input']],
  ['P38 own', outputs('{ path: o.csv, unmatched: u.csv, review: out/../O.csv }'), ['PATH 4:50', 'overwrite output.path']],
  ['P40', outputs('{ path: o.csv, format: xlsx, columns: [] }'), ['VALUE 4:32', 'csv, excel, jsonl'], ['VALUE 4:47', 'an empty list']],
  ['P40 columns', outputs('{ path: o.csv, columns: ["*", "*", general.vatNumber, match.scor, Name] }'),
    ['VALUE 4:39', 'stands twice'], ['VALUE 4:44', 'a tag of basicPlus, but enrich'], ['VALUE 4:63', 'did you mean match.score?'], ['VALUE 4:75', 'come with "*"']],
  ['P40 report', `${BASE}report: { rows: some, mask: phone }`, ['VALUE 4:17', 'none, review, all'], ['VALUE 4:29', 'a list of mapping names']],
  ['P41 version', `${BASE}version: 99`, ['UNSUPPORTED 4:10', 'expected 1', 'newer']],
  ['P41 others', `${BASE}description: ${'x'.repeat(2001)}\ntags: [a b]`, ['VALUE 4:14', '2000 characters'], ['VALUE 5:8', 'a tag of letters']],
  ['a key without a value', `${BASE}budget:\n`, ['VALUE 4:8', 'a map with rows, credits', 'nothing']],
  ['a key that is no text', `${BASE}? [a]\n: b`, ['SYNTAX 4:3', 'plain text']],
]

function bomb(): string {
  const levels = Array.from(
    { length: 10 },
    (_, level) =>
      `  l${level}: &l${level} [${Array(9)
        .fill(level === 0 ? 'x' : `*l${level - 1}`)
        .join(', ')}]`,
  )
  return `vars:\n${levels.join('\n')}\n`
}

test.each(CASES.map((one, index) => [`${index} ${one[0]}`, one] as const))('%s', (_, [, text, ...problems]) => {
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

test('P13 leaves Object.prototype alone', () => {
  parseYaml(`${BASE}__proto__: { polluted: yes }\nvars: { __proto__: x, constructor: y }`)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

test.each([
  `${BASE}service: { url: "https://u:canary@h/v1", username: me, password: canary }`,
  `${BASE}service: { password: "x-canary" }`,
  `${BASE}service: { password: 7 }`,
  `${BASE}service: { password: [canary] }`,
  `${BASE}service: { password: "\${FETTLE_PASSWORD:-canary}" }`,
  `${BASE}vars: { pw: canary }\nservice: { password: "\${vars.pw}" }`,
  `${BASE}service: { password: "\${A}canary" }`,
  `${BASE}service: { token: canary }`,
  `${BASE}apiKey: canary`,
])('P25, P27 a secret in the file is refused and not repeated: %s', text => {
  const { pipeline, issues, secrets } = parseYaml(text, { env: { A: 'canary', FETTLE_PASSWORD: 'canary' } })
  expect(pipeline).toBeNull()
  expect(secrets).toEqual({ username: null, password: null })
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

test('at most 50 problems are told one by one, the rest are counted', () => {
  const { issues } = parseYaml(BASE + Array.from({ length: 80 }, (_, index) => `k${index}: x\n`).join(''))
  expect(issues.length).toBe(51)
  expect(issues.at(-1)).toMatchObject({ count: 30, message: 'and 30 more problems' })
})

test('problems come in the order of the file, each with file, line and column', () => {
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
