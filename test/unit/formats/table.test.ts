/** The table of output formats: what file names, media types, schema and warnings derive from it. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  FORMAT_EXTENSIONS,
  formatFacts,
  formatOfName,
  isNameFor,
  isTableName,
  listExtensions,
  OUTPUT_FORMAT_NAMES,
  OUTPUT_FORMATS,
} from '../../../src/formats/index.ts'
import { INPUT_KINDS, INPUT_PLACES, OUTPUT_PLACES } from '../../../src/formats/places.ts'
import { openFormat } from '../../../src/formats/writers.ts'
import { pipelineJsonSchema, watchedColumns } from '../../../src/pipeline/index.ts'
import { BASE, lineOf, parseYaml, pipelineOf } from '../pipeline/support.ts'

test.each([
  ['out/a.csv', 'csv'],
  ['out/a.TSV', 'tsv'],
  ['out/a.json', 'json'],
  ['out/a.xlsx', 'xlsx'],
  ['s3://bucket/a.jsonl', 'jsonl'],
  ['https://host/a.ndjson?X-Signature=a.csv', 'jsonl'],
  ['out/a.data', null],
  ['out/csv', null],
])('%s is a name of %s', (path, format) => expect(formatOfName(path)).toBe(format))

test.each(OUTPUT_FORMAT_NAMES)('%s accepts its own names without a warning and writes a table', async format => {
  for (const extension of OUTPUT_FORMATS[format].extensions) {
    const { issues, pipeline } = parseYaml(`${BASE}output: { path: out/a${extension}, format: ${format} }\n`)
    expect(issues.map(lineOf)).toEqual([])
    expect(pipeline?.output?.format).toBe(format)
    expect(isTableName(`a${extension}`, format)).toBe(true)
  }
  const { head, render, end } = await openFormat(format, { names: ['a'], delimiter: ',', title: 't' })
  expect(Buffer.concat([head, render([['1']]), end?.() ?? ''].map(part => Buffer.from(part))).length).toBeGreaterThan(2)
})

test('no format takes the name of another', () => {
  for (const format of OUTPUT_FORMAT_NAMES) {
    for (const other of OUTPUT_FORMAT_NAMES) {
      const [name] = formatFacts(other).extensions
      const fits = (formatFacts(format).extensions as readonly string[]).includes(name)
      expect(isNameFor(`a${name}`, format)).toBe(fits)
      expect(isTableName(`a${name}`, format)).toBe(formatFacts(format).kind === formatFacts(other).kind)
      const { issues } = parseYaml(`${BASE}output: { path: a${name}, format: ${format} }\n`)
      expect(issues.map(one => one.code)).toEqual(fits ? [] : ['FETTLE_PIPELINE_PATH'])
    }
  }
  const absent = (path: string) => parseYaml(`${BASE}output: { path: ${path}, unmatched: u.xlsx }\n`)
  expect(absent('a.tsv').pipeline?.output?.format).toBe('tsv')
  expect(absent('a.avro').issues.map(lineOf)).toEqual([
    expect.stringContaining('output.path: "a.avro" has no extension of an output format'),
  ])
  expect(absent('"-"').issues.map(lineOf)).toEqual([expect.stringContaining('is standard output, and an output is a file')])
  const replaced = parseYaml(`${BASE}output: { path: a.csv, format: excel, onFail: replace }\n`, {
    replace: { output: 'b.jsonl' },
  })
  expect(replaced.pipeline?.output).toMatchObject({ path: 'b.jsonl', format: 'jsonl', onFail: 'replace' })
  expect(isNameFor('a.data', 'csv')).toBe(true)
  expect(isNameFor('a.data', 'xlsx')).toBe(false)
})

test('the schema offers every format, and every column is counted that a format asks for', () => {
  expect(JSON.stringify(pipelineJsonSchema())).toContain(JSON.stringify(OUTPUT_FORMAT_NAMES))
  for (const format of OUTPUT_FORMAT_NAMES) {
    const [name] = formatFacts(format).extensions
    const watched = watchedColumns(
      pipelineOf(`${BASE}output: { path: a${name}, format: ${format} }\n`),
      ['Name', 'Country', 'x'],
      3,
    )
    const { cellCheck } = formatFacts(format)
    expect(watched.find(one => one.index === 2)?.of).toEqual(cellCheck === null ? undefined : [cellCheck])
  }
})

test('endings are listed once each', () => {
  expect(listExtensions('workbook')).toEqual(['.xlsx'])
  expect(listExtensions()).toEqual([...new Set(listExtensions())])
  expect(FORMAT_EXTENSIONS).toEqual(['.csv', '.tsv', '.xlsx', '.jsonl', '.json', '.parquet'])
})

test('inputs and outputs name packages that are optional ones of the package, and keys that the pipeline has', () => {
  const { peerDependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const all = [
    ...Object.values(INPUT_KINDS),
    ...Object.values(INPUT_PLACES),
    ...Object.values(OUTPUT_FORMATS),
    ...Object.values(OUTPUT_PLACES),
  ]
  for (const name of all.flatMap(one => one.packages)) expect(Object.keys(peerDependencies), name).toContain(name)
  const { anyOf } = (pipelineJsonSchema() as { properties: Record<string, { anyOf: { properties?: object }[] }> }).properties
    .input!
  const keys = anyOf.flatMap(one => Object.keys(one.properties ?? {}))
  for (const key of Object.values(INPUT_KINDS).flatMap(one => one.keys)) expect(keys, key).toContain(key)
})
