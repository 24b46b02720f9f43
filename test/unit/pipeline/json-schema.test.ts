/** The committed JSON Schema is current, describes every key, and accepts in editors what the parser accepts. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pipelineJsonSchema } from '../../../src/pipeline/project/json-schema.ts'
import { knownPaths } from '../../../src/pipeline/schema/keys.ts'

interface Schema {
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly default?: unknown
}

const schema = pipelineJsonSchema() as Schema

const at = (path: readonly string[]): Schema | undefined => {
  let here: Schema[] = [schema]
  const inside = (one: Schema): Schema[] => [
    one,
    ...[...(one.anyOf ?? []), ...(one.items === undefined ? [] : [one.items])].flatMap(inside),
  ]
  for (const step of path) here = here.flatMap(inside).flatMap(one => one.properties?.[step] ?? [])
  return here[0]
}

test('schema/pipeline.v1.json is current', () => {
  const committed = readFileSync(new URL('../../../schema/pipeline.v1.json', import.meta.url), 'utf8')
  expect(committed).toBe(`${JSON.stringify(schema, null, 2)}\n`)
})

test('every key of the format is in it, with a description', () => {
  const paths = knownPaths()
  expect(paths.length).toBeGreaterThan(90)
  for (const path of paths) expect(at(path)?.description, path.join('.')).toBeTruthy()
})

test('only name, input and mappings are required, and no map takes unknown keys', () => {
  expect(schema.required).toEqual(['name', 'input', 'mappings'])
  expect(schema.additionalProperties).toBe(false)
  expect(at(['poll'])?.required).toBeUndefined()
  expect(at(['poll', 'every'])?.default).toBe('2s')
})

test('a number, a choice or a boolean may be a reference', () => {
  for (const path of [
    ['retry', 'attempts'],
    ['output', 'format'],
    ['input', 'header'],
    ['poll', 'every'],
  ]) {
    expect(at(path)?.anyOf?.at(-1), path.join('.')).toEqual({ type: 'string', pattern: '\\$\\{' })
  }
})
