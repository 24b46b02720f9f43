/** Makes docs/report-json.md from the schema of report.json. Needs build/. */
import { reportJsonSchema } from '../build/report/index.js'

/** What a value can be: a type, or several separated by `|`; `?` at the end: or null. */
function formOf(schema) {
  const forms = [...new Set(formsOf(schema))]
  return `${forms.filter(form => form !== 'null').join(' | ')}${forms.includes('null') ? '?' : ''}`
}

function formsOf(schema) {
  if (schema.const !== undefined) return ['text']
  if (schema.enum !== undefined) return ['text']
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(formsOf)
  if (Array.isArray(schema.type)) return schema.type.flatMap(type => formsOf({ ...schema, type }))
  if (schema.format === 'date-time') return ['time']
  if (schema.type === 'array') return [schema.items.properties === undefined ? `${formOf(schema.items)}[]` : 'list']
  return [{ string: 'text' }[schema.type] ?? schema.type]
}

/** The texts that a value can be, if they are fixed. */
function choicesOf(schema) {
  if (schema.const !== undefined) return [schema.const]
  return schema.enum ?? (schema.anyOf ?? []).flatMap(choicesOf)
}

/** The object in a schema, and the ending of its path: itself, an element of a list, or one of several forms. */
function objectIn(schema) {
  if (schema.properties !== undefined) return { properties: schema.properties, ending: '' }
  if (schema.anyOf !== undefined) return schema.anyOf.map(objectIn).find(found => found !== null) ?? null
  const within = schema.items === undefined ? null : objectIn(schema.items)
  return within && { properties: within.properties, ending: `[]${within.ending}` }
}

/** Every key below a path with its schema. An object of the same keys as an earlier one refers to it. */
function* keysOf(properties, path, seen) {
  for (const [name, schema] of Object.entries(properties)) {
    const key = `${path}${name}`
    const found = objectIn(schema)
    const digest = found && Object.keys(found.properties).length > 1 ? JSON.stringify(found.properties) : null
    const earlier = digest === null ? undefined : seen.get(digest)
    yield { key: `${key}${found?.ending ?? ''}`, schema, earlier }
    if (found === null || earlier !== undefined) continue
    if (digest !== null) seen.set(digest, `${key}${found.ending}`)
    yield* keysOf(found.properties, `${key}${found.ending}.`, seen)
  }
}

/** Columns of a line. */
const WIDTH = 120

const cellsOf = ({ key, schema, earlier }) => {
  const choices = choicesOf(schema)
  const meaning = schema.description ?? missing(key)
  const all = choices.length === 0 ? meaning : `${meaning}: ${choices.join(', ')}`
  return { form: formOf(schema), meaning: earlier === undefined ? all : `${all}; keys as in ${earlier}` }
}

/** Keys of one object that follow each other and have the same form and meaning are one line: the first in full, the others by name. */
function rowsOf(keys) {
  const rows = []
  for (const each of keys) {
    const [path, name] = [each.key.slice(0, each.key.lastIndexOf('.') + 1), each.key.slice(each.key.lastIndexOf('.') + 1)]
    const { form, meaning } = cellsOf(each)
    const last = rows.at(-1)
    if (last?.path === path && last.form === form && last.meaning === meaning) last.names.push(name)
    else rows.push({ path, names: [`${path}${name}`], form, meaning })
  }
  return rows.map(({ names, form, meaning }) => [names.join(', '), form, meaning])
}

/** Three columns, the last wrapped; a long first cell has a line of its own. */
function columns(rows) {
  const width = Math.max(...rows.map(([key]) => (key.includes(',') ? 0 : key.length))) + 2
  const forms = Math.max(...rows.map(([, form]) => form.length)) + 2
  return rows.flatMap(([key, form, meaning]) => {
    const lines = ['']
    for (const word of meaning.split(' ')) {
      const line = lines.at(-1)
      if (line !== '' && width + forms + line.length + word.length + 1 > WIDTH) lines.push(word)
      else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    }
    const isLong = key.length > width - 2
    const head = ''.padEnd(width)
    return [
      ...(isLong ? [key] : []),
      ...lines.map((line, at) => `${at > 0 || isLong ? head : key.padEnd(width)}${(at > 0 ? '' : form).padEnd(forms)}${line}`),
    ]
  })
}

const missing = key => {
  throw new Error(`report.json: ${key} has no description in its schema`)
}

const list = keys => ['```text', ...columns(rowsOf(keys)), '```'].join('\n')

const isOf = (key, name) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[]`)

const section = (title, keys, lead = '') => `\n## ${title}\n${lead === '' ? '' : `\n${lead}\n`}\n${list(keys)}\n`

export function reportDoc() {
  const { properties } = reportJsonSchema()
  const { results, ...run } = properties
  const seen = new Map()
  const ofRun = [...keysOf(run, '', seen)]
  const { properties: ofResult } = objectIn(results)
  const below = [...keysOf(ofResult, '', seen)]
  const sections = Object.keys(ofResult).filter(name => objectIn(ofResult[name]) !== null)
  return `# report.json

Generated from the schema \`fettle/report/v1\` (\`fettle schema report\`). A run directory has the report of its run
([reports.md](reports.md)); \`fettle report RUN --format json\` prints it. Every required key is present, and null if unknown. Within
\`v1\` keys are only added: ignore keys that you do not use. Times are ISO 8601 in UTC, such as \`2026-01-31T08:15:00.250Z\`; names that end in
\`Ms\` are milliseconds; digests are lower-case hex. \`x[].y\` is \`y\` of each element of the list \`x\`; \`text?\` is a text or null.

\`\`\`bash
jq -r '.totals | [.rows, .matchRate] | @tsv' fettle-runs/20*/report.json
\`\`\`
${section('The run', ofRun)}${section(
  'The pipeline: results[]',
  below.filter(({ key }) => !sections.some(name => isOf(key, name))),
  '`results` has one element, with the following keys.',
)}${sections
  .map(name =>
    section(
      `results[].${name}`,
      below.filter(({ key }) => isOf(key, name)),
    ),
  )
  .join('')}`
}
