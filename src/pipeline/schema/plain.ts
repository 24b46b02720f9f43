/** Reads a pipeline file as a plain object, without defaults and with `${…}` as written. */
import { readJson } from '../source/json.ts'
import { plainOf } from '../source/tree.ts'
import { readYaml } from '../source/yaml.ts'
import type { PipelineInput } from './schema.ts'

export function plainPipeline(text: string, format: 'yaml' | 'json'): PipelineInput {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const { tree } = format === 'json' ? readJson(source) : readYaml(source)
  if (tree === null) throw new TypeError('a pipeline without a fault has a tree')
  return plainOf(tree) as PipelineInput
}
