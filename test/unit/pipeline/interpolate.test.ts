/** `${…}`: the value of each form; a value never changes the structure of the file. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'
import { BASE, lineOf, parseYaml, pipelineOf } from './support.ts'

const describing = (text: string, env: Record<string, string> = {}) =>
  pipelineOf(`${BASE}vars: { country: GB, from_env: "\${A:-x}" }\ndescription: ${JSON.stringify(text)}`, { env }).description

describe('forms', () => {
  test.each([
    ['${A}', { A: 'one' }, 'one'],
    ['a ${A} b ${A} c', { A: 'one' }, 'a one b one c'],
    ['${A:-two}', {}, 'two'],
    ['${A:-two}', { A: '' }, 'two'],
    ['${A:-two}', { A: 'one' }, 'one'],
    ['[${A:-}]', {}, '[]'],
    ['${A:-a:-b?c}', {}, 'a:-b?c'],
    ['${A:?needed}', { A: 'one' }, 'one'],
    ['$${A}', { A: 'one' }, '${A}'],
    ['$${A} ${A} $${', { A: 'one' }, '${A} one ${'],
    ['$A and $ and 5$', { A: 'one' }, '$A and $ and 5$'],
    ['${vars.country}/${run.date}', {}, 'GB/2026-03-31'],
    ['${vars.from_env}', { A: 'one' }, 'one'],
    ['${vars.from_env}', {}, 'x'],
    ['${A}', { A: '${B}', B: 'no' }, '${B}'],
    ['${A}', { A: 'x\nbudget: { rows: 1 }' }, 'x\nbudget: { rows: 1 }'],
  ])('%s with %j is %s', (text, env, expected) => {
    expect(describing(text, env as Record<string, string>)).toBe(expected)
  })

  test('--var replaces a declared variable; an undeclared one is refused', () => {
    const text = `${BASE}vars: { country: GB }\ndescription: \${vars.country}`
    expect(pipelineOf(text, { vars: { country: 'FR' } }).description).toBe('FR')
    const { pipeline, issues } = parseYaml(text, { vars: { contry: 'FR' } })
    expect(pipeline).toBeNull()
    expect(issues.map(one => one.message)).toEqual(['the variable contry is not declared under vars; did you mean country?'])
  })

  test('run.id is available once the run has an id', () => {
    expect(parseYaml(`${BASE}description: \${run.id}`).issues[0]?.message).toContain('id is not known')
    expect(pipelineOf(`${BASE}description: \${run.id}`, { run: { date: '2026-03-31', id: 'r-1' } }).description).toBe('r-1')
  })

  test('a reference may give a number or a boolean; text stays text', () => {
    const text = `name: a\ninput: { path: in.csv, header: "\${H}", rows: { min: "\${MIN}" } }
mappings: { name: { index: "\${I}" }, country: { index: 1 } }\nretry: { attempts: "\${N}" }\nversion: \${V}\ndescription: \${N}`
    const pipeline = pipelineOf(text, { env: { H: 'false', MIN: '10', I: '0', N: '3', V: '1' } })
    expect(pipeline.input.header).toBe(false)
    expect(pipeline.input.rows.min).toBe(10)
    expect(pipeline.mappings[0]?.index).toBe(0)
    expect(pipeline.retry.attempts).toBe(3)
    expect(pipeline.description).toBe('3')
    expect(pipelineOf(mapped('${H}'), { env: { H: '0012' } }).mappings[0]?.from).toEqual(['0012'])
  })
})

const mapped = (header: string) => `name: a\ninput: in.csv\nmappings: { name: "${header}", country: C }`

describe('what cannot be filled in', () => {
  test('P28 reports all unset names at once', () => {
    const { issues } = parseYaml(
      'name: a\ninput: ${ONE}\nmappings: { name: "${TWO} ${THREE:?ask Ann}", country: C }\ntags: ["${FOUR}"]',
    )
    expect(issues.map(lineOf)).toEqual([
      'PIPELINE_VARIABLE 2:8 input: ${ONE} is not set',
      'PIPELINE_VARIABLE 3:19 mappings.name: ${TWO} is not set',
      'PIPELINE_VARIABLE 3:19 mappings.name: ${THREE} is not set: ask Ann',
      'PIPELINE_VARIABLE 4:8 tags.0: ${FOUR} is not set',
    ])
    expect(issues[0]?.hint).toBe('Set ONE, or give a default: ${ONE:-default}.')
  })

  test('P28 rejects an empty value where one is required', () => {
    expect(
      parseYaml('name: a\ninput: ${ONE}\nmappings: { name: N, country: C }', { env: { ONE: '' } }).issues.map(lineOf),
    ).toEqual(['PIPELINE_VARIABLE 2:8 input: expected a path, found nothing: "${ONE}" is empty'])
  })

  test('an unresolved variable is reported once, at its declaration', () => {
    const { issues } = parseYaml(`${BASE}vars: { x: "\${NOPE}" }\ndescription: \${vars.x} \${vars.x}`)
    expect(issues.map(lineOf)).toEqual(['PIPELINE_VARIABLE 4:12 vars.x: ${NOPE} is not set'])
  })

  test('a variable cannot refer to another variable', () => {
    expect(parseYaml(`${BASE}vars: { x: a, y: "\${vars.x}" }`).issues[0]?.message).toContain('cannot be made of another')
  })

  test.each(['a\nb', 'a\rb', 'a\0b', 'a\r\n'])('P31 %j in a header, a path or an address is refused by name', value => {
    const text = `${mapped('${BAD}')}\noutput: o/\${BAD}\nservice: \${BAD}`
    const { pipeline, issues } = parseYaml(text, { env: { BAD: value } })
    expect(pipeline).toBeNull()
    expect(issues.map(one => one.message)).toEqual([
      'mappings.name: the value of ${BAD} contains a line end or a NUL',
      'output: the value of ${BAD} contains a line end or a NUL',
      'service: the value of ${BAD} contains a line end or a NUL',
    ])
  })

  test.each(['constructor', '__proto__', 'toString'])('%s is not in an empty environment', name => {
    expect(parseYaml(`${BASE}description: \${${name}}`).issues[0]?.message).toContain('is not set')
  })
})

describe('credentials of fettle and of S3', () => {
  const env = { FETTLE_PASSWORD: 'hunter2', AWS_SECRET_ACCESS_KEY: 'hunter2', fettle_x: 'hunter2', FETTLER: 'fine' }

  test.each(['FETTLE_PASSWORD', 'AWS_SECRET_ACCESS_KEY', 'fettle_x', 'FETTLE_URL:-https://h/v1'])('${%s} has no value', name => {
    for (const text of [
      `description: "\${${name}}"`,
      `vars: { x: "\${${name}}" }`,
      `service: { url: https://h/v1, password: "\${${name.replace(/:.*/, '')}}" }`,
      `notify: [{ to: "https://h/\${${name}}" }]`,
    ]) {
      const { pipeline, issues } = parseYaml(`${BASE}${text}`, { env })
      expect(pipeline).toBeNull()
      expect(issues.map(one => one.message).join()).toContain('fettle reads FETTLE_* and AWS_* itself')
      expect(JSON.stringify(issues)).not.toContain('hunter2')
    }
  })

  test('a name that only begins like one of them has', () => {
    expect(pipelineOf(`${BASE}description: \${FETTLER}`, { env }).description).toBe('fine')
  })
})

describe('a value that may be a secret', () => {
  const recorded = (reference: string): readonly string[] => [
    `description: "about ${reference}"`,
    `tags: [a, "${reference}"]`,
    `mappings: { name: Name, country: { value: "${reference}" } }`,
    `vars: { x: "${reference}" }\ndescription: \${vars.x}`,
    `output: "out/${reference}.csv"`,
  ]
  const parseWith = (text: string, env: Record<string, string>) =>
    parseYaml(text.startsWith('mappings') ? `name: a\ninput: in.csv\n${text}` : `${BASE}${text}`, { env })

  test.each([
    ['API_TOKEN', 'canary-1'],
    ['CLIENT_SECRET', 'canary-1'],
    ['DbPassword', 'canary-1'],
    ['SERVICE_API_KEY', 'canary-1'],
    ['PG_URL', 'postgresql://user:canary-1@host/name'],
  ])('${%s} is refused where it would be recorded, without its value', (name, value) => {
    for (const text of recorded(`\${${name}}`)) {
      const { pipeline, issues } = parseWith(text, { [name]: value })
      expect(pipeline, text).toBeNull()
      expect(issues.map(({ code, message }) => `${code} ${message}`).join()).toMatch(
        new RegExp(`FETTLE_PIPELINE_SECRET .*the value of \\$\\{${name}\\} would be recorded`),
      )
      expect(JSON.stringify(issues)).not.toContain('canary')
    }
  })

  test('is taken as a credential and in an address; other values are taken everywhere', () => {
    const env = { API_TOKEN: 'canary-1', PG_URL: 'postgresql://user:canary-1@host/name', CI_JOB_URL: 'https://ci.example/1' }
    for (const text of [
      'service: { url: https://h/v1, username: "${API_TOKEN}", password: "${API_TOKEN}" }',
      'notify: [{ to: "https://h/n?key=${API_TOKEN}" }]',
      'output: { table: t, url: "${PG_URL}" }',
      'output: "https://h/out.csv?key=${API_TOKEN}"',
    ])
      expect(parseWith(text, env).issues, text).toEqual([])
    for (const text of recorded('${PLACE}')) expect(parseWith(text, { PLACE: 'GB' }).issues, text).toEqual([])
    expect(pipelineOf(`${BASE}description: "\${CI_JOB_URL}"`, { env }).description).toBe('https://ci.example/1')
  })
})

describe('the address of a service, which is recorded and printed', () => {
  const env = { SECRET: 'hunter2', WHOLE: 'https://h/v1' }

  test.each([
    'service: https://h/${SECRET}/v1',
    'service: { url: "https://h/${SECRET}/v1" }',
    'service: { url: "https://${SECRET}.example/v1" }',
    'vars: { x: "https://h/${SECRET}/v1" }\nservice: ${vars.x}',
    'vars: { x: "${SECRET}" }\nservice: https://h/${vars.x}/v1',
  ])('no value of the environment is a part of it: %s', text => {
    const { pipeline, issues } = parseYaml(`${BASE}${text}`, { env })
    expect(pipeline).toBeNull()
    expect(issues.map(one => one.message)).toEqual([expect.stringContaining('${SECRET} is a part of the address')])
  })

  test.each([
    'service: ${WHOLE}',
    'vars: { x: "${WHOLE}" }\nservice: { url: "${vars.x}" }',
    'vars: { h: h }\nservice: https://${vars.h}/v1',
  ])('all of it may be one: %s', text => {
    expect(pipelineOf(`${BASE}${text}`, { env }).service).toMatchObject({ kind: 'remote', url: 'https://h/v1' })
  })
})

describe('properties', () => {
  test('a value adds no key: the pipeline differs only in that text', () => {
    const plain = pipelineOf(`${BASE}description: \${V}`, { env: { V: 'x' } })
    const value = fc.oneof(
      fc.string({ minLength: 1, unit: anyCharacter }),
      fc.constantFrom('x\nbudget: {rows: 1}', '{a: b}', '- x', '*a', '&a', '!!js', '"', "'", '#', '${X}', '$${'),
    )
    fc.assert(
      fc.property(value, text => {
        fc.pre(text.length <= 2000)
        expect(pipelineOf(`${BASE}description: \${V}`, { env: { V: text } })).toEqual({ ...plain, description: text })
      }),
      { numRuns: runs(30, 100) },
    )
  })

  test('text without ${ is never changed', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), text => {
        fc.pre(!text.includes('${'))
        expect(describing(text)).toBe(text)
      }),
    )
  })

  test('$${ escapes any text with ${', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('${', '}', 'A', ':-', ' ', '{', 'x'), { minLength: 1, maxLength: 20 }), parts => {
        const text = parts.join('')
        expect(describing(text.replaceAll('${', () => '$${'))).toBe(text)
      }),
    )
  })
})

describe('credentials', () => {
  const text = `${BASE}service: { url: https://h/v1, username: "\${U}", password: "\${P:?ask Ann}" }`

  test('are returned beside the pipeline, never in it', () => {
    const { pipeline, secrets, issues } = parseYaml(text, { env: { U: 'ann', P: 'hunter2' } })
    expect(issues).toEqual([])
    expect(secrets).toEqual({ username: 'ann', password: 'hunter2', notify: [] })
    expect(JSON.stringify(pipeline)).not.toMatch(/hunter2|ann/)
  })

  test('are null where the pipeline names none', () => {
    expect(parseYaml(BASE).secrets).toEqual({ username: null, password: null, notify: [] })
  })
})

describe('paths of the command line', () => {
  const replaced = (text: string, replace: { input?: string; output?: string }) => pipelineOf(text, { replace })

  test('replace variables of the pipeline', () => {
    expect(replaced(BASE, { input: 'other.csv' }).input.path).toBe('other.csv')
    expect(
      replaced('name: a\ninput: { path: "${NOPE}", key: Id }\nmappings: { name: N, country: C }', { input: 'o.csv' }).input,
    ).toMatchObject({
      path: 'o.csv',
      key: { header: 'Id' },
    })
    expect(replaced(BASE, { output: 'o.csv' })).toMatchObject({ output: { path: 'o.csv' }, enrich: { product: 'basic' } })
    expect(replaced(`${BASE}output: { path: x.csv, review: r.csv }`, { output: 'o.csv' }).output).toMatchObject({
      path: 'o.csv',
      review: 'o-review.csv',
    })
  })

  test.each([
    ['out/try.csv', 'out/un.csv', 'out/try-unmatched.csv'],
    ['/data/try.csv.gz', 'un.jsonl.gz', 'try-unmatched.jsonl.gz'],
    ['try.xlsx', 's3://bucket/a/un.csv', 's3://bucket/a/try-unmatched.csv'],
    ['.try.csv', 'out.d/un.csv', 'out.d/.try-unmatched.csv'],
    ['try.csv', 'https://files.example/un.csv?sig=1', null],
  ])('%s names the file of unmatched rows: %s is %s', (output, unmatched, wanted) => {
    const options = { root: '/', replace: { output }, namedOutput: output }
    expect(pipelineOf(`${BASE}output: { path: x.csv, unmatched: "${unmatched}" }`, options).output?.unmatched).toBe(wanted)
  })

  test('are literal', () => {
    expect(replaced(BASE, { input: 'a${B}c$${d}.csv' }).input.path).toBe('a${B}c$${d}.csv')
  })

  test('are checked like the keys of the pipeline', () => {
    expect(parseYaml(BASE, { replace: { output: '../o.csv' } }).issues[0]?.code).toBe('FETTLE_PIPELINE_PATH')
    expect(parseYaml(BASE, { replace: { output: 'in.csv' } }).issues[0]?.message).toContain('would overwrite the input')
  })
})
