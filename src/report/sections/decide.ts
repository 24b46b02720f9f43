/** Decisions of the table in reports: the data, and the words that every format shows. */
import type { RunState } from '../../journal/index.ts'
import type { DecideCounts } from '../../model/results.ts'
import { count, counted } from '../words.ts'
import { maskExample } from './matches.ts'

/** Masked again, as all rows of a report: a resume may mask more columns. */
export function readDecide({ plan, decide }: RunState) {
  if (decide === null) return null
  const rules = decide.rules.map(rule => ({
    ...rule,
    examples: plan.report.rows === 'all' ? rule.examples.map(example => maskExample(plan, example)) : [],
  }))
  return { ...decide, rules }
}

/** `1,204 accept, 80 refer, 12 decline` */
export const decisionWords = ({ accept, refer, decline }: Pick<DecideCounts, 'accept' | 'refer' | 'decline'>): string =>
  Object.entries({ accept, refer, decline })
    .filter(([, rows]) => rows > 0)
    .map(([word, rows]) => `${count(rows)} ${word}`)
    .join(', ')

/** The rule, and the field that it lacked. */
export const ruleWords = ({ rule, missing }: Pick<DecideCounts['rules'][number], 'rule' | 'missing'>): string =>
  missing === null ? rule : `${rule}: ${missing} missing or unreadable`

/** Empty if every rule was reached. */
export const unreachedWords = ({ unreached }: Pick<DecideCounts, 'unreached'>): string =>
  unreached.length === 0
    ? ''
    : `Neither a row nor a test reached ${unreached.length === 1 ? 'the rule' : counted(unreached.length, 'rule')}: ${unreached.join(', ')}.`
