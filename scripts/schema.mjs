/** Writes schema/pipeline.v1.json from the one declaration of the pipeline file; with --check fails when it is not current. Needs dist/. */
import { readFileSync, writeFileSync } from 'node:fs'
import { pipelineJsonSchema } from '../build/pipeline/index.js'

const path = new URL('../schema/pipeline.v1.json', import.meta.url)
const text = `${JSON.stringify(pipelineJsonSchema(), null, 2)}\n`
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  process.stderr.write('schema/pipeline.v1.json is not current: npm run build, then node scripts/schema.mjs\n')
  process.exitCode = 1
}
