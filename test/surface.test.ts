/**
 * The public surface against test/surface.snapshot.json: whatever a script, a pipeline file or a program may rely on. A change
 * of it is a decision: `FETTLE_UPDATE_SURFACE=1 npx vitest run test/surface.test.ts` writes the file anew.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Command } from '../src/cli/command.ts'
import { COMMANDS } from '../src/cli/commands/index.ts'
import * as client from '../src/client/index.ts'
import { ERRORS, EXIT } from '../src/errors.ts'
import * as library from '../src/index.ts'
import { pipelineJsonSchema } from '../src/pipeline/index.ts'
import { reportJsonSchema, resultLine } from '../src/report/index.ts'
import * as service from '../src/service/index.ts'
import * as testing from '../src/testing/index.ts'
import { reportOf } from './unit/report/fixtures.ts'

const SNAPSHOT = new URL('surface.snapshot.json', import.meta.url)

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly additionalProperties?: unknown
}

/** One way to write a value, in a word. */
const formOf = (schema: Schema): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.join('|')
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(formOf))].join(' or ')
  if (schema.items !== undefined) return `list of ${formOf(schema.items)}`
  return String(schema.type ?? 'any')
}

/** Every key of a schema by its path, with form and default; `!` marks one that must be there. */
function* keysOf(schema: Schema, path = ''): Generator<[string, string]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`
    const preset = property.default === undefined ? '' : ` = ${JSON.stringify(property.default)}`
    yield [key, `${formOf(property)}${schema.required?.includes(name) ? '!' : ''}${preset}`]
    yield* keysOf(property, key)
  }
  for (const one of schema.anyOf ?? []) yield* keysOf(one, path)
  if (schema.items !== undefined) yield* keysOf(schema.items, `${path}[]`)
}

const flagsOf = ({ positionals = [], options }: Command): Record<string, string> => {
  const rows = [...positionals, ...options].flatMap(option => {
    const { name, type, choices, default: preset, alias } = option
    const form = choices?.join('|') ?? (type === 'switch' ? 'switch' : 'text')
    const list = type === 'list' && options.includes(option) ? ', repeatable' : ''
    const value = preset === undefined ? '' : ` = ${JSON.stringify(preset)}`
    const row = [name, `${form}${list}${alias === undefined ? '' : `, -${alias}`}${value}`] as const
    return alias === undefined ? [row] : [row, [alias, `${form}${list}${value}`] as const]
  })
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const packageFacts = () => {
  const { bin, exports, engines, type } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return { bin, exports, engines, type }
}

const surface = () => ({
  commands: Object.fromEntries(COMMANDS.map(command => [command.usage, flagsOf(command)])),
  exitCodes: EXIT,
  errorCodes: Object.fromEntries(Object.entries(ERRORS).map(([code, { kind }]) => [code, kind])),
  pipelineKeys: Object.fromEntries(keysOf(pipelineJsonSchema() as Schema)),
  reportKeys: Object.fromEntries(keysOf(reportJsonSchema() as Schema)),
  resultLineKeys: Object.keys(JSON.parse(resultLine(reportOf('finished')))),
  package: packageFacts(),
  library: {
    fettle: Object.keys(library).sort(),
    'fettle/client': Object.keys(client).sort(),
    'fettle/service': Object.keys(service).sort(),
    'fettle/testing': Object.keys(testing).sort(),
  },
})

test('the public surface is the one on record', () => {
  const now = JSON.parse(JSON.stringify(surface()))
  if (process.env.FETTLE_UPDATE_SURFACE === '1') writeFileSync(SNAPSHOT, `${JSON.stringify(now, null, 2)}\n`)
  expect(now).toEqual(JSON.parse(readFileSync(SNAPSHOT, 'utf8')))
})

// A bundler that joins an entry with its neighbours would export what they share, too.
test.each([
  ['index', library],
  ['client/index', client],
  ['service/index', service],
  ['testing/index', testing],
])('dist/%s.js exports what its source exports', async (entry, source) => {
  const built: object = await import(new URL(`../dist/${entry}.js`, import.meta.url).href)
  expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort())
})
