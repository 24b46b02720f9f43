/** The keys about the matches of the service, and about the companies found: `accept`, `candidates`, `portfolio`, `events`, `screen`, `decide`. */

import { z } from 'zod'
import { DATASETS, type Dataset, THRESHOLDS } from '../../contract/index.ts'
import { TABLE_PARTS } from '../../decide/table.ts'
import { defined } from '../../defined.ts'
import { duration, flag, listOf, map, orNull, pattern, text, whole } from './forms.ts'
import { columnReference } from './mapping-schema.ts'

const MOST = 1_000_000_000
const TEN_YEARS = 3650 * 24 * 3_600_000

export const candidates = map({
  for: listOf(z.enum(['review', 'unmatched']), 'a list of review and unmatched', 1, 10)
    .prefault(['review'])
    .transform(outcomes => [...new Set(outcomes)])
    .describe('Rows that are asked about, in this order.'),
  limit: whole(1, 10_000).prefault(500).describe('Most questions of a run; equal rows are one question.'),
  budget: orNull(whole(1, MOST)).describe(
    'Most credits for questions and fetched companies, one each; the rest is not asked for, and reported.',
  ),
  fetch: orNull(z.enum(['job', 'report'])).describe(
    'How the tags of an accepted company that the service did not match are fetched: in one small job by its id, or from the report of each. Absent: not.',
  ),
})

const PORTFOLIO = 'the name of a portfolio, 200 characters at most'
const portfolioName = pattern(PORTFOLIO, /^(?=.*\S)[^\u0000-\u001f\u007f-\u009f]{1,200}$/)

const RULES = 'default, or a list of rule codes such as [105, { code: 101, param0: 1 }]'
const param = z
  .union([text('a parameter', 40), z.number()], { error: 'a text or a number' })
  .transform(String)
  .optional()
const rule = z
  .union(
    [
      whole(1, 1_000_000),
      map({
        code: whole(1, 1_000_000).describe('The number of the rule.'),
        param0: param.describe('Its first parameter.'),
        param1: param.describe('Its second parameter.'),
        param2: param.describe('Its third parameter.'),
      }),
    ],
    { error: RULES },
  )
  .transform(given => (typeof given === 'number' ? { code: given } : given))
const rules = z.record(
  pattern('XX, PLC or a country code of two letters', /^([A-Za-z]{2}|PLC)$/),
  z.union([z.literal('default'), listOf(rule, RULES, 1)], { error: RULES }),
  { error: 'a map of countries and rules, such as { XX: [105], GB: default }' },
)
const SHARE = 'a share such as 5%'
const share = pattern(SHARE, /^(100|\d{1,2})(\.\d{1,3})?%$/).transform(given => Number(`${given.slice(0, -1)}e-2`))
const remove = z
  .union(
    [z.literal('gone'), map({ max: share.describe('Remove nothing when more than this share of the portfolio is gone.') })],
    { error: 'gone, or a map with max' },
  )
  .transform(given => (given === 'gone' ? { max: null } : given))

const portfolioMap = map({
  name: orNull(portfolioName).describe('By name; created if it does not exist.'),
  id: orNull(whole(1, Number.MAX_SAFE_INTEGER)).describe('By number; it must exist.'),
  reference: orNull(columnReference).describe("The column that becomes the company's reference in the portfolio."),
  rules: rules
    .transform(given => Object.fromEntries(Object.entries(given).map(([code, list]) => [code.toUpperCase(), list])))
    .optional()
    .describe('Rules that raise events, by country, set before companies are added: `XX: [101, 105]`, `GB: default`.'),
  sync: flag().optional().describe('Compare the portfolio with the companies found, and send the difference as a file.'),
  remove: remove.optional().describe('With sync: remove the companies that are in the portfolio and no longer in the list.'),
})

export const portfolio = z
  .union([portfolioName, portfolioMap], { error: `${PORTFOLIO}, or a map with name or id` })
  .transform(given => (typeof given === 'string' ? portfolioMap.parse({ name: given }) : given))

export const events = map({
  since: z.literal('last').prefault('last').describe('last: those that no earlier run of this pipeline wrote.'),
  output: text('a path ending in .csv')
    .refine(path => /\.csv$/i.test(path), { error: 'a path ending in .csv' })
    .describe('The CSV of the events, written whole or not at all; a path in the working directory.'),
  mark: flag().prefault(false).describe('Mark the events as processed once the file is in place.'),
})

/** A listed name that is not found is wrong at any time. */
const PROVED = ['recall.unchanged < 100%']
/** Share of the monitored searches that a run ends unless its pipeline states one. */
const MOST_GONE = 0.2
const MONITOR = 'true, or a map with remove'
const monitor = z
  .union(
    [
      map({ remove: remove.describe('End the monitoring of companies that are no longer in the list.') }),
      z.literal(true, { error: MONITOR }),
    ],
    {
      error: MONITOR,
    },
  )
  .transform(given => (given === true ? { remove: { max: MOST_GONE } } : given))

const COUNTRY = 'an ISO 3166 code of two letters, such as GB'
const datasetNames = Object.keys(DATASETS) as [Dataset, ...Dataset[]]
export const screen = map({
  datasets: listOf(z.enum(datasetNames), 'a list of dataset codes', 1, datasetNames.length)
    .describe('Lists to search.')
    .transform(codes => [...new Set(codes)]),
  threshold: z.literal(THRESHOLDS).prefault(85).describe('Hits with a lower score are left out.'),
  countries: listOf(pattern(COUNTRY, /^[A-Za-z]{2}$/), 'a list of country codes', 1, 250)
    .optional()
    .transform((codes = []) => [...new Set(codes.map(code => code.toUpperCase()))])
    .describe('Countries of the search. Absent: all.'),
  budget: orNull(whole(1, MOST)).describe('Most searches of a run, one credit each; the rest is skipped and reported.'),
  people: z
    .literal('directors', { error: 'directors' })
    .exactOptional()
    .describe('Search the directors of each company too, each once, one credit each; `directors.fullName` is among the tags.'),
  monitor: monitor
    .exactOptional()
    .describe('Put the searches under monitoring, once for each company. true: with remove: { max: 20% }.'),
  alerts: text('a path ending in .csv')
    .refine(path => /\.csv$/i.test(path), { error: 'a path ending in .csv' })
    .exactOptional()
    .describe('With monitor: a CSV of the hits that no earlier run of this pipeline wrote.'),
  lists: map({
    age: duration(60 * 60_000, TEN_YEARS).describe('Oldest file and import of a list; the run is refused for an older one.'),
  })
    .exactOptional()
    .describe('The imported lists, at the embedded service.'),
  verify: z
    .union(
      [
        map({
          fail: listOf(text('a limit, such as "recall.oneError < 95%"'), 'a list of limits', 1, 50)
            .prefault(PROVED)
            .describe('The run is refused if one of these holds.'),
          sample: whole(1, MOST).prefault(2000).describe('Listed names that are searched with changes, too.'),
        }),
        z.literal(true).transform(() => ({ fail: PROVED, sample: 2000 })),
      ],
      { error: 'true, or a map with fail, sample or both' },
    )
    .exactOptional()
    .describe('Before a run, [prove](screening.md#on-your-own-lists) that searches find what the imported lists have.'),
  decisions: text('a path ending in .csv')
    .exactOptional()
    .describe('A CSV of decisions about hits, applied on every run; a review writes it. A request for each hit.'),
})

const BANDS = 'a list of bands, such as [A, B]'
const bands = () => listOf(text('the text of a band', 40), BANDS, 0, 50)
const LETTERS = 'letters, such as A, A-B or [A, C]'
const letterRange = pattern(LETTERS, /^[A-Za-z](-[A-Za-z])?$/)
const PART = 'a part of general.pattern, such as name, or the place of a letter in it, such as 1'
/** `A-C`, `F` -> `ABCF` */
function listLetters(ranges: readonly string[]): string {
  const letters = ranges.flatMap(range => {
    const [first = 0, last = first] = range
      .toUpperCase()
      .split('-')
      .map(letter => letter.charCodeAt(0))
      .sort((a, b) => a - b)
    return Array.from({ length: last - first + 1 }, (_, at) => String.fromCharCode(first + at))
  })
  return [...new Set(letters)].sort().join('')
}

const PRECISION = 'a share above 0.5 and up to 0.999, such as 0.98'

/** What the matches of the service should be. */
export const matching = map({
  precision: z
    .number({ error: PRECISION })
    .gt(0.5, { error: PRECISION })
    .max(0.999, { error: PRECISION })
    .optional()
    .describe("The share of the matches that should be right; fettle's own service only. Absent: 0.98."),
})

export const accept = map({
  banding: orNull(bands()).describe('Bands (`general.banding`) that stay matched. Absent: all but the bands of `review`.'),
  review: bands().prefault([]).describe('Bands that a person should look at; any other band is unmatched.'),
  pattern: orNull(
    z.record(
      pattern(PART, /^[\p{L}\p{N} ._-]{1,60}$/u),
      z
        .union([letterRange, listOf(letterRange, LETTERS, 1, 26)], { error: LETTERS })
        .transform(given => listLetters([given].flat())),
      { error: 'a map of parts and letters, such as { name: A-B, postcode: A }' },
    ),
  ).describe('Letters that each part of `general.pattern` must have; a match with another goes to review.'),
})

const age = () => duration(1, TEN_YEARS)

const SEARCH_AGE = 'a duration such as 1d, or a map with age and acceptStale'
const searchAge = z
  .union(
    [
      age(),
      map({
        age: age().describe('A search is used for this long.'),
        acceptStale: flag().prefault(false).describe('Also for longer than a day: a company may be on a list since.'),
      }),
    ],
    { error: SEARCH_AGE },
  )
  .transform(given => (typeof given === 'number' ? { age: given, acceptStale: false } : given))

export const reuse = map({
  matched: age().describe('Rows with a company: the answer is used for this long.'),
  unmatched: age().describe('Rows without a company.'),
  review: age().describe('Rows for a person to look at.'),
  screen: searchAge.optional().describe('AML searches, for a day at most or with acceptStale. Absent: each run searches again.'),
  candidates: age().optional().describe('Questions for candidates. Absent: each run asks again.'),
  decide: age().optional().describe('Decisions of decide.service, until its tree is changed. Absent: each run asks again.'),
}).transform(({ screen: searches, ...ages }): typeof ages & { screen?: number; acceptStale?: true } =>
  defined({ ...ages, screen: searches?.age, acceptStale: searches?.acceptStale ? true : undefined }),
)

export const after = z.literal('archive', { error: 'archive' }).optional()

export const send = z
  .enum(['all', 'mapped'], { error: 'all or mapped' })
  .optional()
  .transform(value => (value === 'mapped' ? value : null))

const DECIDE = 'the path of a decision table, or a map with table or service'
const FIELD = 'a column, or a map such as { from: Amount, type: number }'
const decideMap = map({
  table: orNull(text('the path of a decision table')).describe('A YAML or JSON file, such as decisions/limit.yml.'),
  asOf: orNull(z.iso.date({ error: 'a day such as 2026-01-31' })).describe(
    'With table: the day of the decisions. Absent: the day of the run.',
  ),
  service: orNull(text('the name or the id of a decision tree', 200)).describe(
    'A decision tree of the service, by name or id: it is run for each company found and its fields, once, a credit each.',
  ),
  fields: z
    .record(z.string(), z.union([text('a column'), TABLE_PARTS.field], { error: FIELD }), {
      error: 'columns by the fields of the tree',
    })
    .optional()
    .transform((given = {}) =>
      Object.fromEntries(
        Object.entries(given).map(([name, field]) => [name, typeof field === 'string' ? { from: field } : field]),
      ),
    )
    .describe('With service: the column of each field of the tree, a header of the list or a tag; or how it is read.'),
  budget: orNull(whole(1, MOST)).describe('With service: most runs of the tree; rows beyond it are referred and reported.'),
})

const dedupeMap = map({
  keep: z
    .enum(['filled', 'first'])
    .prefault('filled')
    .describe('Which row of a company dup.keep names: the one with the most filled cells, or the first.'),
})

/** Which rows of the list are one company. */
export const dedupe = z
  .union([flag(), dedupeMap], { error: 'true, or a map with keep' })
  .transform(given => (given === false ? null : given === true ? dedupeMap.parse({}) : given))

/** What decides about rows: a table and the day of the decisions, or a decision tree of the service. */
export const decide = z
  .union([text(DECIDE), decideMap], { error: DECIDE })
  .transform(given => (typeof given === 'string' ? decideMap.parse({ table: given }) : given))
