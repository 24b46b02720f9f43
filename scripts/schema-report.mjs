/** Writes schema/report.v1.json and schema/event.v1.json, or with --check fails when one is not current. Needs `npm run build` first. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { eventJsonSchema, reportJsonSchema } from '../build/report/index.js'

const folder = new URL('../schema/', import.meta.url)

const current = file => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

for (const [name, schema] of [
  ['report.v1.json', reportJsonSchema()],
  ['event.v1.json', eventJsonSchema()],
]) {
  const file = new URL(name, folder)
  const text = `${JSON.stringify(schema, null, 2)}\n`
  if (!process.argv.includes('--check')) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, text)
  } else if (current(file) !== text) {
    console.error(`schema/${name} is not current: run node scripts/schema-report.mjs`)
    process.exitCode = 1
  }
}
