/** Schemas of parts of the report. No import beyond zod and the tables of the model, since the page of a report reads their types. */
import { z } from 'zod'
import { byOutcome, CHANGE_KINDS, type ChangeCounts } from '../../model/results.ts'

export const known = z.int().nonnegative()
export const count = known.nullable()
export const text = z.string().nullable()
export const sha256 = z.string().describe('SHA-256')
export const bytes = known.describe('bytes')
export const at = z.iso.datetime({ precision: 3 }).describe('UTC')
export const ms = z.number().nonnegative().describe('milliseconds')
export const share = z.number().nonnegative().nullable()
export const row = known.describe('data row from 1')
export const key = text.describe('its key, when the pipeline names one')
export const name = z.string().describe('the name in the list')
export const company = z
  .object({ id: z.string().describe('its connectId'), name: z.string().describe('its name') })
  .describe('the company')

const placements = {
  matched: known.describe('matched rows'),
  review: known.describe('rows in review'),
  unmatched: known.describe('unmatched rows'),
}

const group = {
  value: z.string().describe('the text of the service'),
  rows: known.describe('rows with it'),
  ...placements,
  examples: z.array(z.object({ row, key, name, company })).describe('first rows; with report.rows: all'),
}

const matches = z
  .object({
    bands: z
      .array(
        z.object({
          ...group,
          moves: z.object(placements).describe('rows that would move if the band were matched, in review, or unmatched'),
        }),
      )
      .describe('by general.banding'),
    patterns: z.array(z.object(group)).describe('by general.pattern'),
    others: z
      .object({ bands: known.describe('rows of bands'), patterns: known.describe('rows of patterns') })
      .describe('rows of those not listed'),
    byPattern: known.describe('rows in review because of accept.pattern'),
  })
  .nullable()
  .default(null)
  .describe('rows with a company by band and pattern, before decisions')

const place = z
  .object({
    outcome: z.string().describe('the outcome'),
    company,
    ruled: z.string().optional().describe('decision and rule'),
  })
  .nullable()
  .describe('null if not in that list')

const counts = z.object(
  Object.fromEntries(CHANGE_KINDS.map(kind => [kind, known.describe('rows')])) as Record<keyof ChangeCounts, typeof known>,
)

const changes = z
  .object({
    against: z.string().describe('the earlier run'),
    counts: counts.describe('rows by kind of change (nights.md)'),
    rows: z
      .array(
        z.object({
          kind: z.enum(CHANGE_KINDS).describe('as in counts'),
          cause: z.enum(['list', 'answer', 'company', 'decision', 'rule']).describe('the cause'),
          row: known.nullable().describe('data row from 1; null when it is gone'),
          key,
          name,
          before: place,
          after: place,
          columns: z
            .array(
              z.object({
                name: z.string().describe('the column'),
                before: z.string().describe('before'),
                after: z.string().describe('now'),
              }),
            )
            .describe('of changed: the columns that differ'),
        }),
      )
      .describe('first of each kind; with report.rows: all'),
  })
  .nullable()
  .default(null)
  .describe('changes since the last good run')

const outcomes = z.object(byOutcome(() => count.describe('rows')))

const reuse = z
  .object({
    asked: known.describe('rows to look up'),
    known: known.describe('rows with a cached answer'),
    sent: known.describe('rows sent'),
    repeated: known.describe('rows equal to a sent one'),
    fresh: known.describe('sent: new'),
    changed: known.describe('sent: the row of this key changed'),
    tooOld: known.describe('sent: the answer is too old'),
    lacking: known.describe('sent: the answer lacks tags'),
    refreshed: known.describe('sent: refreshed'),
    outcomes: z
      .object({
        known: outcomes.describe('rows with a cached answer, by outcome'),
        sent: outcomes.describe('the others, by outcome'),
      })
      .nullable()
      .describe('all rows by outcome'),
  })
  .nullable()
  .default(null)
  .describe('answers of earlier runs; null without reuse')

const events = z
  .object({
    portfolio: z
      .object({ id: known.describe("the service's id"), name: z.string().describe('its name') })
      .nullable()
      .describe('the portfolio'),
    since: text.describe('when events were read last'),
    events: known.describe('events'),
    companies: known.describe('companies with an event'),
    kinds: z.record(z.string(), known).describe('companies by what happened to them'),
    file: text.describe('the file of the events'),
    ownFile: text.describe('the same under the name of the run'),
    sha256: text.describe('its SHA-256'),
    marked: known.describe('events marked as processed'),
    listed: z
      .array(
        z.object({
          at: z.string().describe('when it happened'),
          company,
          key: z.string().describe('reference in the portfolio, or key of the row'),
          rule: z.string().describe('its rule'),
          old: z.string().describe('the value before'),
          new: z.string().describe('the value now'),
        }),
      )
      .describe('the first of them'),
  })
  .nullable()
  .default(null)
  .describe('events of the portfolio since the last run')

const person = z.string().nullable().default(null).describe('the director; null for the company itself')

const monitoring = z
  .object({
    added: known.describe('searches put under monitoring'),
    present: known.describe('companies that were'),
    removed: known.describe('searches no longer under monitoring'),
    kept: known.describe('companies not in the list any more'),
    refused: known.describe('searches that the service refused'),
    written: z
      .object({
        alerts: known.describe('hits that no earlier run wrote'),
        file: z.string().describe('their file'),
        ownFile: z.string().describe('the same under the name of the run'),
        sha256: z.string().describe('its SHA-256'),
        listed: z
          .array(
            z.object({
              company: company.extend({ person }).describe('the company'),
              name: z.string().describe('the name on the list'),
              score: z.number().describe('0 to 100'),
              datasets: z.array(z.string()).describe('codes'),
              at: z.string().describe('when it was found'),
            }),
          )
          .describe('the first of them'),
      })
      .nullable()
      .describe('the file of alerts; null without one'),
  })
  .nullable()
  .default(null)
  .describe('searches under monitoring')

const refusals = z
  .array(z.object({ id: company.shape.id, why: z.string().describe('the answer of the service') }))
  .describe('the first of them')

const portfolio = z
  .object({
    id: known.nullable().describe("the service's id"),
    name: text.describe('its name'),
    created: z.boolean().describe('created by this run'),
    companies: known.nullable().describe('companies found, each once'),
    added: known.describe('companies added by this run'),
    present: known.describe('already in it'),
    refused: known.describe('companies that the service refused'),
    refusals,
    removed: known.default(0).describe('companies removed: gone from the list'),
    kept: known.default(0).describe('gone companies that stay'),
    rules: z.record(z.string(), known).default({}).describe('active rules of the pipeline, by country'),
  })
  .nullable()
  .describe('companies added to a portfolio')

const screening = z
  .object({
    datasets: z.array(z.string()).describe('searched lists'),
    threshold: known.describe('lowest score of a hit, 0 to 100'),
    countries: z.array(z.string()).describe('searched countries; empty: all'),
    budget: known.nullable().describe('credits at most'),
    companies: known.nullable().describe('companies found, each once'),
    searches: known.describe('one credit each'),
    reused: known.default(0).describe('searches of an earlier run, free'),
    again: z
      .object({
        changed: known.describe('of `searches`: an entry of the lists changed that may concern them'),
        unknown: known.describe('of `searches`: what changed in the lists is not known'),
      })
      .default({ changed: 0, unknown: 0 })
      .describe('searches of an earlier run that were made again'),
    directors: z
      .object({
        listed: known.describe('directors of the companies, each once for each company'),
        searches: known.describe('of `searches`'),
        reused: known.describe('of `reused`'),
        shared: known.describe('directors of several companies, after the first'),
        refused: known.describe('directors not searched for'),
        tooOld: known.describe('as `tooOld`, of directors'),
        withHits: known.describe('directors with hits'),
        none: known.describe('companies without a known director'),
        incomplete: known.describe('companies with a director who was not searched for, or too long ago'),
        notReached: known.describe('directors that the run did not come to'),
      })
      .nullable()
      .default(null)
      .describe('with screen.people'),
    withHits: known.describe('companies with hits'),
    hits: known.describe('hits of all searches'),
    risks: z
      .array(
        z.object({
          dataset: z.string().describe('the list'),
          meaning: z.string().describe('what it holds'),
          companies: known.describe('companies and directors with a hit in it'),
          hits: known.describe('hits in it'),
        }),
      )
      .describe('by dataset, most companies first'),
    refused: known.describe('companies not searched for'),
    noName: known.default(0).describe('of these, without a name'),
    noId: known.default(0).describe('rows whose company has no id'),
    noCompany: known.nullable().default(null).describe('rows without a company'),
    notReached: known.default(0).describe('companies that the run did not come to'),
    noLetter: known.default(0).describe('of these, with a name without letter and digit'),
    tooOld: known.default(0).describe('searches older than `within` of the check `screened`'),
    oldest: z.string().nullable().default(null).describe('time of the oldest reused search'),
    refusals,
    found: z
      .array(
        z.object({
          ...company.shape,
          person,
          searchId: z.string().describe("the service's id of the search"),
          hits: known.describe('its hits'),
          risks: z.record(z.string(), known).describe('hits by dataset'),
        }),
      )
      .describe('companies with the most hits'),
    judged: z
      .object({
        open: known.describe('hits without a decision'),
        back: known.describe('hits that were decided about, and changed since'),
        cleared: known.describe('hits that a person cleared: they are not of the company'),
        confirmed: known.describe('hits that a person confirmed'),
        listed: z
          .array(
            z.object({
              ...company.shape,
              person,
              entry: z.string().describe('the entry of the list'),
              state: z.string().describe('open, came back or confirmed'),
              why: z.string().describe('the decision, and what changed since'),
            }),
          )
          .describe('the first that are not cleared; none with report.rows: none'),
      })
      .nullable()
      .default(null)
      .describe('decisions about the hits; null where none are applied'),
  })
  .nullable()
  .describe('AML searches for the companies found')

const accepted = z
  .object({
    by: z.enum(['job', 'report']).describe('by a remote job, or one report for each'),
    companies: known.nullable().describe('accepted companies with missing tags'),
    fetched: known.describe('companies fetched'),
    paid: known.describe('companies that may cost one credit each'),
    lost: known.describe('companies whose report was lost'),
    refused: known.describe('companies that the service refused'),
    left: known.describe('companies not requested yet'),
    job: text.describe('the remote job, with by: job'),
  })
  .nullable()
  .default(null)
  .describe('accepted companies that the service did not match')

const candidates = z
  .object({
    limit: known.describe('rows at most'),
    budget: known.nullable().describe('credits at most'),
    questions: known.nullable().describe('different requests'),
    asked: known.describe('requests that may cost one credit each'),
    reused: known.default(0).describe('requests of an earlier run, free'),
    found: known.describe('requests for which the service proposes companies'),
    lost: known.describe('requests whose answer was lost'),
    refused: known.describe('requests that the service refused'),
    left: known.nullable().describe('rows beyond the limit'),
    incomplete: known.nullable().describe('rows without a name or a known country'),
  })
  .nullable()
  .default(null)
  .describe('requests for candidates')

const audit = z
  .object({
    agreed: known.describe('matches whose company agrees with the row'),
    doubtful: known.describe('matches whose company seems to be a different one'),
    notComparable: known.describe('matches whose names and numbers cannot be compared'),
    examples: z
      .array(z.object({ row, key, name, company, differs: z.array(z.string()).describe('what differs') }))
      .describe('the first doubtful rows; only with report.rows: all'),
  })
  .nullable()
  .default(null)
  .describe('a second look at the matches')

/** The parts by their keys in a result. */
const decide = z
  .object({
    path: z.string().describe('the file of the table'),
    asOf: z.string().describe('day of the decisions'),
    accept: known.describe('rows accepted'),
    refer: known.describe('rows referred to a person'),
    decline: known.describe('rows declined'),
    rules: z
      .array(
        z.object({
          rule: z.string().describe('the rule, or otherwise'),
          decision: z.enum(['accept', 'refer', 'decline']).describe('its decision'),
          missing: text.describe('the missing field, for which rows are referred'),
          rows: known.describe('rows'),
          examples: z.array(z.object({ row, key, name, company })).describe('first rows; with report.rows: all'),
        }),
      )
      .describe('in the order of the table'),
    unreached: z.array(z.string()).describe('rules reached by no row and no test'),
  })
  .nullable()
  .default(null)
  .describe('decisions of the table')

export const sections = { matches, audit, decide, changes, reuse, events, candidates, accepted, portfolio, screening, monitoring }
