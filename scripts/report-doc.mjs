/** Makes docs/report-json.md from the schema of report.json. Needs build/. */
import { reportJsonSchema } from '../build/report/index.js'

const escaped = text => text.replaceAll('|', '\\|')

/** What a value can be; a type, or several with `or`. */
function formOf(schema) {
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined) return schema.enum.map(one => `\`${one}\``).join(', ')
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(formOf))
  if (Array.isArray(schema.type)) return joined(schema.type.map(type => formOf({ ...schema, type })))
  if (schema.format === 'date-time') return 'time'
  if (schema.type === 'array') return `list of ${schema.items.properties === undefined ? formOf(schema.items) : 'objects'}`
  return { string: 'text', integer: 'whole number', boolean: 'true or false', null: 'null' }[schema.type] ?? schema.type
}

const joined = forms => [...new Set(forms)].join(' or ')

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
    const digest = found && Object.keys(found.properties).length > 2 ? JSON.stringify(found.properties) : null
    const earlier = digest === null ? undefined : seen.get(digest)
    yield { key: `${key}${found?.ending ?? ''}`, schema, earlier }
    if (found === null || earlier !== undefined) continue
    if (digest !== null) seen.set(digest, `${key}${found.ending}`)
    yield* keysOf(found.properties, `${key}${found.ending}.`, seen)
  }
}

const row = ({ key, schema, earlier }) => {
  const meaning = schema.description ?? missing(key)
  return `| \`${key}\` | ${escaped(formOf(schema))} | ${escaped(meaning)}${earlier === undefined ? '' : `; keys as in \`${earlier}\``} |`
}

const missing = key => {
  throw new Error(`report.json: ${key} has no description in its schema`)
}

const table = keys => ['| key | value | meaning |', '| --- | --- | --- |', ...keys.map(row)].join('\n')

const isOf = (key, name) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[]`)

const section = (title, keys, lead = '') => `\n## ${title}\n${lead === '' ? '' : `\n${lead}\n`}\n${table(keys)}\n`

export function reportDoc() {
  const { properties } = reportJsonSchema()
  const { results, ...run } = properties
  const seen = new Map()
  const ofRun = [...keysOf(run, '', seen)]
  const { properties: ofResult } = objectIn(results)
  const below = [...keysOf(ofResult, '', seen)]
  const sections = Object.keys(ofResult).filter(name => objectIn(ofResult[name]) !== null)
  return `# report.json

Generated from the schema \`fettle/report/v1\` (\`fettle schema report\`, \`schema/report.v1.json\`). A run directory has the report of its run
([reports.md](reports.md)); \`fettle report RUN --format json\` prints it. Every required key of the schema is always present, and null if
unknown. Keys are only added within \`v1\`: ignore those that you do not know. Times are ISO 8601 in UTC, such as
\`2026-01-31T08:15:00.250Z\`; names that end in \`Ms\` are milliseconds. \`x[].y\` is \`y\` of each element of the list \`x\`.

\`\`\`bash
jq -r '.totals | [.rows, .matchRate] | @tsv' fettle-runs/20*/report.json
\`\`\`
${section('The run', ofRun)}${section(
  'The pipeline: results[]',
  below.filter(({ key }) => !sections.some(name => isOf(key, name))),
  '`results` has one element. The following keys are in it.',
)}${sections
  .map(name =>
    section(
      `results[].${name}`,
      below.filter(({ key }) => isOf(key, name)),
    ),
  )
  .join('')}`
}
