/** Example files: those in valid/ and pipelines/ parse without issues, those in invalid/ report what their first line expects. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { splitRows } from '../../../src/library/input-rows.ts'
import { definePipeline } from '../../../src/library/library.ts'
import { parsePipeline, parsePipelineValue } from '../../../src/pipeline/parse.ts'
import { planRun } from '../../../src/pipeline/planning/plan.ts'
import { pipelineFormat } from '../../../src/pipeline/source/decode.ts'
import { CONTEXT, FACTS, OPTIONS, parseYaml } from './support.ts'

const here = (folder: string) => new URL(folder, import.meta.url)
const filesIn = (folder: string) => readdirSync(here(folder)).filter(name => pipelineFormat(name) !== null)
const parse = (folder: string, name: string) => {
  const text = readFileSync(new URL(name, here(folder)), 'utf8')
  const format = pipelineFormat(name)
  if (format === null) throw new Error(name)
  return { text, ...parsePipeline(text, { ...OPTIONS, file: name, format, env: { CONNECT_PASSWORD: 'secret' } }) }
}

describe.each(['valid/', '../../../pipelines/'])('%s', folder => {
  test.each(filesIn(folder))('%s', name => {
    const { pipeline, issues } = parse(folder, name)
    expect(issues).toEqual([])
    expect(pipeline).not.toBeNull()
  })
})

test.each(filesIn('../../../pipelines/'))('%s plans against the header of its sample', name => {
  const { pipeline } = parse('../../../pipelines/', name)
  const { path, encoding, delimiter } = pipeline!.input
  const bytes = readFileSync(new URL(`../../../${path}`, import.meta.url))
  const [first = ''] = new TextDecoder(encoding === 'auto' ? 'utf-8' : encoding).decode(bytes).split(/\r?\n/, 1)
  const header = first.split(delimiter === 'auto' ? ',' : delimiter)
  const { plan, issues } = planRun(pipeline!, { ...FACTS, path, header, columns: header.length }, CONTEXT)
  expect(issues).toEqual([])
  expect(plan?.mappings.length).toBe(pipeline?.mappings.length)
})

describe('invalid/', () => {
  test.each(filesIn('invalid/'))('%s', name => {
    const { text, pipeline, issues } = parse('invalid/', name)
    const announced = [...text.matchAll(/expect: (.*)$/gm)].flatMap(match => match[1]!.split(', '))
    expect(announced.length).toBeGreaterThan(0)
    expect(pipeline).toBeNull()
    expect(issues.map(one => `${one.code.replace('FETTLE_PIPELINE_', '')} ${one.at?.line}:${one.at?.column}`)).toEqual(announced)
  })
})

describe('a pipeline given as an object', () => {
  const object = definePipeline({
    name: 'from-code',
    input: { path: 'in.csv', rows: { min: 1 } },
    mappings: { name: 'Name', country: { from: ['Country', 'Land'] } },
    poll: { every: '5s' },
    output: 'out.csv',
  })

  test('gives the same pipeline as its text', () => {
    expect(parsePipelineValue(object, OPTIONS).pipeline).toEqual(parseYaml(JSON.stringify(object)).pipeline)
  })

  test('may have rows for its input', () => {
    const rows = [{ Name: 'Acme Forgings Ltd' }]
    const given = definePipeline({ name: 'from-code', input: rows, mappings: { name: 'Name' } })
    expect(splitRows(given)).toMatchObject({ rows, plain: { name: 'from-code', mappings: { name: 'Name' } } })
  })

  test('has its references filled in', () => {
    const { pipeline } = parsePipelineValue({ ...object, input: '${IN}' }, { ...OPTIONS, env: { IN: 'x.csv' } })
    expect(pipeline?.input.path).toBe('x.csv')
  })

  test('has issues without lines', () => {
    const { pipeline, issues } = parsePipelineValue({ ...object, name: 5, retry: { atempts: 3 }, tags: undefined }, OPTIONS)
    expect(pipeline).toBeNull()
    expect(issues.map(one => [one.code, one.at])).toEqual([
      ['FETTLE_PIPELINE_TEXT', { file: 'p.yml', line: null, column: null }],
      ['FETTLE_PIPELINE_KEY', { file: 'p.yml', line: null, column: null }],
    ])
  })

  test('may hold any value without an exception', () => {
    const cycle: Record<string, unknown> = { ...object }
    cycle.vars = cycle
    expect(parsePipelineValue(cycle, OPTIONS).issues[0]?.code).toBe('FETTLE_PIPELINE_DEPTH')
    for (const value of [null, undefined, 5, 'x', [], () => 1, Symbol.iterator, new Date(0), { name: 1n, input: Symbol('x') }]) {
      expect(parsePipelineValue(value, OPTIONS).pipeline).toBeNull()
    }
  })
})
