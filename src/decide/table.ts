/**
 * The decision table: rules in order; the first that holds decides. This schema is its only declaration: the types, the JSON Schema for
 * editors and the copy in a plan are made from it. The `error` of each leaf is the end of "expected …".
 */
import { z } from 'zod'

/** What a table decides about a row. */
export const DECISIONS = ['accept', 'refer', 'decline'] as const
export type Decided = (typeof DECISIONS)[number]

/** Names the row that no rule decided about, in place of a rule. */
export const OTHERWISE = 'otherwise'

const text = (what: string) => z.string({ error: what }).min(1, { error: what })
const map = <T extends z.ZodRawShape>(shape: T, what = 'a map') =>
  z.strictObject(shape, { error: issue => mapError(issue, what) })
/** An unknown key is worded by the reader of the file. */
const mapError = ({ code }: { code?: string | undefined }, what: string) => (code === 'unrecognized_keys' ? undefined : what)

const VALUE = 'a value'
const values = [z.string({ error: VALUE }), z.number({ error: VALUE }), z.boolean({ error: VALUE })] as const
const value = z.union(values, { error: VALUE })
const decided = z.enum(DECISIONS, { error: `one of ${DECISIONS.join(', ')}` })

const BOUND = 'a number, a date, or { field: NAME }'
const bound = z.union([...values, map({ field: text('the name of a field') }, BOUND)], { error: BOUND })

const list = z.array(value, { error: 'a list of values' }).min(1, { error: 'at least one value' })
const comparisons = {
  '=': value.optional().describe('The same value; text regardless of case.'),
  in: list.optional().describe('One of these values.'),
  '<': bound.optional().describe('Less than, or before.'),
  '>': bound.optional().describe('Greater than, or after.'),
  between: z
    .array(bound, { error: 'two values' })
    .length(2, { error: 'two values' })
    .optional()
    .describe('From the first to the second, both included.'),
  present: z.boolean({ error: 'true or false' }).optional().describe('Whether the cell has a value.'),
}
const isFilled = (given: object): boolean => Object.keys(given).length > 0
const COMPARISON = 'a value, a list of values, or a map of =, in, <, >, between and present'
const comparison = z.union([...values, list, map(comparisons, COMPARISON).refine(isFilled, { error: COMPARISON })], {
  error: COMPARISON,
})
const CONDITION = 'a value, a list of values, or a map of =, in, <, >, between, not and present'
const negatable = map(
  { ...comparisons, not: comparison.optional().describe('What must not hold: a value, a list or a map of comparisons.') },
  CONDITION,
)
const condition = z.union([...values, list, negatable.refine(isFilled, { error: CONDITION })], { error: CONDITION })

export type Bound = z.output<typeof bound>
type ConditionMap = z.output<typeof negatable>
/** A value alone means `=`, a list `in`; all parts of a map must hold. */
export type Condition = z.output<typeof condition>

const DAY = 'a day such as 2026-01-31'
const day = z.iso.date({ error: DAY })

const TYPES = ['text', 'number', 'date', 'age'] as const
const field = map(
  {
    from: z
      .union([text('a column'), z.array(text('a column')).min(1, { error: 'at least one column' })], { error: 'a column' })
      .optional()
      .describe(
        'The column that is read: a header of the list, a tag, match.*, screen.* or events.*; of several, the first that exists. Absent: its name.',
      ),
    type: z
      .enum(TYPES, { error: `one of ${TYPES.join(', ')}` })
      .optional()
      .describe('How cells are read; absent: text. age: the time from a date to the day of the decision.'),
    decimal: z.enum(['.', ','], { error: '. or ,' }).optional().describe('The decimal mark of its cells; absent: a point.'),
    order: z
      .enum(['dmy', 'mdy'], { error: 'dmy or mdy' })
      .optional()
      .describe('How dates are written that do not begin with the year.'),
    unit: text('a unit')
      .optional()
      .describe(
        'The unit of a number, such as GBP or %; of an age days, months or years. Cells in a different unit are not read.',
      ),
  },
  'a map such as { type: number, unit: GBP }',
)
export type Field = z.output<typeof field>

const rule = map({
  name: text('a name').max(60, { error: 'a name of at most 60 characters' }).describe('Shown in decision.rule.'),
  when: z
    .record(z.string(), condition, { error: 'conditions by the names of fields' })
    .refine(given => Object.keys(given).length > 0, { error: 'at least one condition' })
    .describe('All of these must hold.'),
  decision: decided.describe('What is decided if they do.'),
  because: text('a sentence').max(300, { error: 'at most 300 characters' }).optional().describe('Why, in a sentence.'),
  from: day.optional().describe('The first day on which the rule applies.'),
  until: day.optional().describe('The last day on which the rule applies.'),
})
export type Rule = z.output<typeof rule>

const EXPECTED = `one of ${DECISIONS.join(', ')}, or { decision, rule }`
const testCase = map({
  name: text('a sentence about what the test shows'),
  row: z
    .record(z.string(), value, { error: 'cells by the names of fields' })
    .describe('Cells as in the file, by field; others are empty.'),
  expect: z
    .union([decided, map({ decision: decided, rule: text('the name of a rule').optional() })], { error: EXPECTED })
    .describe('The decision, and the rule that makes it.'),
  asOf: day.optional().describe('The day of the decision; absent: the day of the run.'),
})

/** The parts of a table that are checked on their own where another part is wrong. */
export const TABLE_PARTS = { field, rule, testCase } as const

export const tableSchema = map(
  {
    description: z.string({ error: 'a text' }).optional().describe('What the table decides about.'),
    fields: z
      .record(z.string(), field, { error: 'fields by name' })
      .optional()
      .describe('How columns are read. A field that is named in a rule only is text.'),
    rules: z
      .array(rule, { error: 'a list of rules' })
      .min(1, { error: 'at least one rule' })
      .describe('The first that holds decides.'),
    otherwise: z
      .union([decided, map({ decision: decided, because: text('a sentence').optional() })], {
        error: `one of ${DECISIONS.join(', ')}, or { decision, because }`,
      })
      .describe('The decision if no rule holds.'),
    tests: z.array(testCase, { error: 'a list of tests' }).optional().describe('Rows with the decision that is expected.'),
  },
  'a decision table',
)
export type DecisionTable = z.output<typeof tableSchema>

/** The fields that rules and declarations name, in order. */
export function namedFields({ fields = {}, rules }: Pick<DecisionTable, 'fields' | 'rules'>): string[] {
  const names = new Set(Object.keys(fields))
  for (const { when } of rules)
    for (const [name, given] of Object.entries(when)) for (const read of [name, ...comparedFields(given)]) names.add(read)
  return [...names]
}

/** The fields that a condition compares with. */
export function comparedFields(given: Condition): string[] {
  if (!isConditionMap(given)) return []
  const bounds = [given['<'], given['>'], ...(given.between ?? [])]
  return [
    ...bounds.flatMap(item => (typeof item === 'object' ? [item.field] : [])),
    ...(given.not === undefined ? [] : comparedFields(given.not)),
  ]
}

export const isConditionMap = (given: Condition): given is ConditionMap => typeof given === 'object' && !Array.isArray(given)

/** The columns of a field: the first that exists is read. */
export const columnsOf = ({ fields = {} }: Pick<DecisionTable, 'fields'>, name: string): readonly string[] => {
  const from = Object.hasOwn(fields, name) ? fields[name]!.from : undefined
  return from === undefined ? [name] : [from].flat()
}

/** Whether a rule applies on a day. */
export const appliesOn = ({ from = '', until = '9999-12-31' }: Pick<Rule, 'from' | 'until'>, asOf: string): boolean =>
  from <= asOf && asOf <= until
