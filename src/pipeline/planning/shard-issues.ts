/** Rejects pipelines whose result would differ when split into shards. */
import { COMPANY_TAGS } from '../../contract/index.ts'
import { type Issue, issue, type Place } from '../../errors.ts'
import type { Shard } from '../model/types.ts'
import { requestedInput } from '../schema/paths.ts'
import type { Pipeline } from '../schema/pipeline.ts'
import type { Path } from '../source/tree.ts'
import { shardText } from './shards.ts'

const OF_JOB = ['general.rowNumber', 'general.duplicateId']

export function shardIssues(pipeline: Pipeline, shard: Shard, at: (...path: Path) => Place | null): Issue[] {
  const { enrich, input, output } = pipeline
  const which = `shard ${shardText(shard)}`
  const issues: Issue[] = []
  const refuse = (message: string, hint: string, ...path: Path): void => {
    issues.push(issue('FETTLE_PIPELINE_UNSUPPORTED', message, { hint, at: at(...path) }))
  }
  if (requestedInput(input.path).kind === 'stdin')
    refuse(`${which} of standard input: the other shards and the merge cannot read it`, 'Write it to a file first.', 'input')
  for (const name of output?.columns.filter(name => OF_JOB.includes(name)) ?? []) {
    const message = `${which}: ${name} counts the rows of one remote job, so it would differ between shards`
    refuse(message, `Leave ${name} out of output.columns.`, 'output', 'columns')
  }
  for (const key of ['candidates', 'portfolio', 'screen'] as const) {
    if (pipeline[key] === null) continue
    const what = key === 'candidates' ? 'rows' : 'companies'
    const message = `${which}: ${key} needs the ${what} of the whole list, and a shard has only its own`
    refuse(message, `Leave ${key} out, or run the list as a whole, without shards.`, key)
  }
  if (output !== null && enrich !== null && !COMPANY_TAGS.some(tag => enrich.tags.includes(tag))) {
    const message = `${which}: without a tag that identifies companies, a company found in two shards would count twice`
    refuse(message, 'Add general.connectId to enrich.tags.', 'enrich')
  }
  return issues
}
