/** Writes schema/report.v1.json, or with --check fails when it is not current. Needs `npm run build` first. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { reportJsonSchema } from '../dist/report/index.js'

const folder = new URL('../schema/', import.meta.url)
const file = new URL('report.v1.json', folder)
const text = `${JSON.stringify(reportJsonSchema(), null, 2)}\n`

const current = () => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

if (!process.argv.includes('--check')) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, text)
} else if (current() !== text) {
  console.error('schema/report.v1.json is not current: run node scripts/schema-report.mjs')
  process.exitCode = 1
}
