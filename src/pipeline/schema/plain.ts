/** A pipeline file as the object it stands for, as written: no default filled in, no `${…}` replaced. It judges nothing. */
import { readJson } from '../source/json.ts'
import { plainOf } from '../source/tree.ts'
import { readYaml } from '../source/yaml.ts'
import type { PipelineInput } from './schema.ts'

/** The object of a text that parsePipeline has found no fault with. */
export function plainPipeline(text: string, format: 'yaml' | 'json'): PipelineInput {
  const source = text.startsWith('\ufeff') ? text.slice(1) : text
  const { tree } = format === 'json' ? readJson(source) : readYaml(source)
  if (tree === null) throw new TypeError('a pipeline without a fault has a tree')
  return plainOf(tree) as PipelineInput
}
