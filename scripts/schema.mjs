/**
 * Writes the schemas of pipeline and project file from their declarations, and schema/schemastore.json, the entries for the catalogue of
 * schemas that editors read; with --check fails when one is not current. Needs build/.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { decisionsJsonSchema, PIPELINE_ENDINGS, pipelineJsonSchema, projectJsonSchema } from '../build/pipeline/index.js'

const { homepage } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const FILES = {
  'pipeline.v1.json': pipelineJsonSchema(),
  'project.v1.json': projectJsonSchema(),
  'decisions.v1.json': decisionsJsonSchema(),
  'schemastore.json': [
    {
      name: 'fettle pipeline',
      description: 'A pipeline of fettle: a company list, its mappings, the service and the outputs',
      fileMatch: PIPELINE_ENDINGS.map(ending => `*${ending}`),
      url: `${homepage}/schema/pipeline.v1.json`,
    },
    {
      name: 'fettle project',
      description: 'Targets and defaults of the pipelines of a fettle project',
      fileMatch: ['fettle.yml'],
      url: `${homepage}/schema/project.v1.json`,
    },
  ],
}

for (const [name, content] of Object.entries(FILES)) {
  const path = new URL(`../schema/${name}`, import.meta.url)
  const text = `${JSON.stringify(content, null, 2)}\n`
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`schema/${name} is not current: npm run build, then node scripts/schema.mjs\n`)
    process.exitCode = 1
  }
}
