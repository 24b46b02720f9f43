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
  const refuse = (message: string, hint: string, path: Path): Issue =>
    issue('FETTLE_PIPELINE_UNSUPPORTED', message, { hint, at: at(...path) })
  const piped = requestedInput(input.path).kind === 'stdin'
  const counting = output?.columns.filter(name => OF_JOB.includes(name)) ?? []
  const isNameless = output !== null && enrich !== null && !COMPANY_TAGS.some(tag => enrich.tags.includes(tag))
  return [
    ...(piped
      ? [
          refuse(`${which} of standard input: the other shards and the merge cannot read it`, 'Write it to a file first.', [
            'input',
          ]),
        ]
      : []),
    ...counting.map(name =>
      refuse(
        `${which}: ${name} counts the rows of one remote job, so it would differ between shards`,
        `Leave ${name} out of output.columns.`,
        ['output', 'columns'],
      ),
    ),
    ...(['candidates', 'portfolio', 'screen'] as const)
      .filter(key => pipeline[key] !== null)
      .map(key =>
        refuse(
          `${which}: ${key} needs the ${key === 'candidates' ? 'rows' : 'companies'} of the whole list, and a shard has only its own`,
          `Leave ${key} out, or run the list as a whole, without shards.`,
          [key],
        ),
      ),
    ...(isNameless
      ? [
          refuse(
            `${which}: without a tag that identifies companies, a company found in two shards would count twice`,
            'Add general.connectId to enrich.tags.',
            ['enrich'],
          ),
        ]
      : []),
  ]
}
