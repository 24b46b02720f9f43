/** Column names of an output: for people, and names given in the pipeline that another column of the output has. */
import { type Issue, issue, type Place } from '../../errors.ts'
import { outputNames } from '../../model/columns.ts'
import type { InputFacts, PlannedOutput } from '../model/types.ts'
import { show } from '../source/quote.ts'

/** `*, general.connectId as connect_id, all in snake_case` */
export const columnsText = ({ columns, rename = {}, names }: PlannedOutput): string =>
  [
    ...columns.map(name => (rename[name] === undefined ? name : `${name} as ${rename[name]}`)),
    ...(names === undefined ? [] : ['names in snake_case']),
  ].join(', ')

/** Databases ignore case in names, so they are compared without it. */
export function outputNameIssues(output: PlannedOutput | null, facts: InputFacts, at: Place | null): Issue[] {
  if (output?.rename === undefined) return []
  const names = outputNames(output, facts.header ?? []).map(name => name.toLowerCase())
  const given = Object.entries(output.rename)
  return given.flatMap(([from, as]) => {
    if (names.indexOf(as.toLowerCase()) === names.lastIndexOf(as.toLowerCase())) return []
    const message = `output.columns: ${from} as ${show(as)}: another column of the output has this name`
    return [issue('FETTLE_PIPELINE_VALUE', message, { at, hint: 'Choose another name.' })]
  })
}
