/**
 * Declares every key of the pipeline file: form, default, description, and its long form by a transform. Parsing, "did you mean",
 * the library's types and the JSON Schema for editors read this declaration. Rules between keys are in lint/.
 *
 * The `error` of each leaf is the expected form, as the end of "expected …"; issues.ts makes the sentence.
 */
import { z } from 'zod'
import { COMPANY_NUMBERS, type Product } from '../../contract/index.ts'
import { formatFacts, OUTPUT_FORMAT_NAMES } from '../../formats/index.ts'
import type { CheckName, PlannedCheck } from '../model/types.ts'
import type { parseThreshold } from '../source/durations.ts'
import { NOTIFY_FORMS } from '../source/secrets.ts'
import { checkServiceUrl, isLoopback, TABLE_NAME, tableAddress } from './addresses.ts'
import { duration, flag, listOf, map, orNull, pattern, text, threshold, whole } from './forms.ts'
import { databaseUrl, input, onePlace, sheet, textKeys } from './input-keys.ts'
import { mappings } from './mapping-schema.ts'
import { accept, after, candidates, decide, dedupe, events, matching, portfolio, reuse, screen, send } from './match-keys.ts'

const MAX_ROWS = 1_000_000_000

const budget = map({
  rows: orNull(whole(1, MAX_ROWS)).describe('Refuse to send more rows.'),
  credits: orNull(whole(1, MAX_ROWS)).describe('Refuse to enrich more rows.'),
  month: orNull(whole(1, MAX_ROWS)).describe(
    'Refuse a run that could exceed these credits together with all runs of the account in this month (UTC) and folder of runs.',
  ),
  account: orNull(z.enum(['refuse'])).describe(
    'refuse: refuse a run that could need more than the account has left (GET /access).',
  ),
})
  .transform(({ month, account, ...rest }) => ({ ...rest, month: month ?? undefined, account: account ?? undefined }))
  .prefault({})
  .describe('Refuse before spending more.')

/** What a message can be about. */
const NOTIFY_REASONS = ['fail', 'warn', 'recovered', 'budget', 'review', 'events', 'alerts'] as const

const ADDRESS = 'an https:// address without user name, or nothing'

function isReceiver(address: string): boolean {
  if (address === '') return true
  if (/[\s\u0000-\u001f\u007f\\]/.test(address) || !URL.canParse(address)) return false
  const { protocol, hostname, username, password, hash } = new URL(address)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** The host alone: path and query of a webhook are its password. */
const shownReceiver = (address: string): string => (address === '' ? '' : new URL(address).origin)

/** Whom a run reports its end to. Addresses and secrets are credentials: the pipeline holds only the host. */
const receiver = map({
  to: z
    .string({ error: ADDRESS })
    .max(2000, { error: ADDRESS })
    .refine(isReceiver, { error: ADDRESS })
    .transform(shownReceiver)
    .describe('The address that takes a POST; for slack and teams one ${NAME} and nothing else. Empty: nothing is sent.'),
  as: z
    .enum(Object.keys(NOTIFY_FORMS) as (keyof typeof NOTIFY_FORMS)[])
    .prefault('cloudevents')
    .describe('The form of the message.'),
  on: listOf(z.enum(NOTIFY_REASONS), `a list of ${NOTIFY_REASONS.join(', ')}`, 1, 20)
    .prefault(['fail', 'recovered'])
    .transform(given => [...new Set(given)])
    .describe('What is reported.'),
  secret: orNull(text('a secret'))
    .transform((): null => null)
    .describe('One ${NAME} and nothing else: the key that messages are signed with.'),
  rows: flag().prefault(false).describe('Whether a message may have rows to review, as `report` allows.'),
})

const notify = listOf(receiver, 'a list of receivers, such as { to: "${SLACK_URL}", as: slack }', 0, 20)

const HOUR = 3_600_000
const path = text('a path')

const host = pattern('a host such as files.example.com or *.example.com', /^(\*\.)?([\w-]+\.)*[\w-]+$/)
const serviceMap = map({
  url: text('an address such as https://host/v1').optional().describe('Base address, ending in a version. Absent: FETTLE_URL.'),
  username: text('a user name').optional().describe('User name. Absent: FETTLE_USERNAME.'),
  password: text('a password')
    .optional()
    .describe('One ${NAME} and nothing else. Absent: FETTLE_PASSWORD or FETTLE_PASSWORD_FILE.'),
  rate: map({
    requests: whole(1, 100_000).describe('Requests …'),
    per: duration(1, HOUR).describe('… in this time.'),
  })
    .optional()
    .describe('No more requests than this, over all jobs. Default: 25 in 5s; none for the embedded service.'),
  fileHosts: listOf(host, 'a list of hosts', 0, 50)
    .prefault(['*.amazonaws.com'])
    .describe("Hosts a download link may name besides the service's own; *. means any subdomain."),
  insecure: flag().prefault(false).describe('Allow http:// to other machines. Every report warns of it.'),
})

/** User name and password are left out; secrets.ts reads them. A null `url` means FETTLE_URL. */
function longService({ url, rate, fileHosts, insecure }: z.output<typeof serviceMap>) {
  const checked = url === undefined ? null : checkServiceUrl(url, insecure)
  return {
    kind: 'remote' as const,
    // An address that is refused stays as written: lint reports it.
    url: checked === null ? null : 'url' in checked ? checked.url : url!,
    rate: rate === undefined ? null : { requests: rate.requests, perMs: rate.per },
    fileHosts,
    insecure,
  }
}
const service = z
  .union([text('embedded, required, an address or a map'), serviceMap], { error: 'embedded, required, an address or a map' })
  .transform(given => {
    if (given === 'embedded') return { kind: 'embedded' as const }
    if (given === 'required') return longService(serviceMap.parse({}))
    return longService(typeof given === 'string' ? serviceMap.parse({ url: given }) : given)
  })

const PRODUCTS = ['basic', 'basicPlus', 'standard'] as const satisfies readonly Product[]
const tagName = pattern('an enrichment tag or a match column', /^[A-Za-z]+\.[\w.]*\w$/)
const HEADERS = 'a map of enrichment tags and headers, such as { general.connectId: "Connect ID" }'
const enrich = z
  .union([
    z.enum(['none', ...PRODUCTS]),
    map({
      product: z.enum(PRODUCTS).describe('The product whose tags are allowed.'),
      tags: orNull(listOf(text('an enrichment tag', 100), 'a list of enrichment tags', 1)).describe(
        "Absent: all of the product's.",
      ),
      headers: z
        .record(tagName, text('a header of the enriched file', 200), { error: HEADERS })
        .optional()
        .describe('What the service calls columns of the enriched file, where it does not use their tags.'),
    }),
  ])
  .transform(given =>
    given === 'none' ? null : typeof given === 'string' ? { product: given, tags: null, headers: undefined } : given,
  )

const COUNT_OR_SHARE = 'a comparison with a count or a share, such as "> 500" or "< 90%"'
const levels = (form: z.ZodType<ReturnType<typeof parseThreshold> & {}, string>) => ({
  warn: orNull(form).describe('Warn when this holds.'),
  fail: orNull(form).describe('Fail (exit 1) when this holds.'),
})
const check = (form: Parameters<typeof levels>[0]) => map(levels(form))
const anyCheck = check(threshold(COUNT_OR_SHARE))
const REGISTERS = 'the name of a register, of a-z, 0-9 and -, a list of them, or a map with file'
const registerName = pattern(REGISTERS, /^[a-z0-9-]{1,40}$/)

/** A list whose rows are the companies, as `fettle register import csv` reads it. */
const tableRegister = map({
  file: text('the path of a list').describe(
    'A list of companies: CSV, Excel or Parquet. It is imported again when its content changes.',
  ),
  ...textKeys,
  sheet: orNull(sheet).describe('Of a workbook: the name or the number of the sheet. Absent: the first.'),
  map: z
    .record(z.string(), text('a header of the list'), { error: 'a map of mappings and headers' })
    .prefault({})
    .describe(
      'Headers by mapping, as in name: Vendor, id: Customer No. Columns that are not named are recognised by header and values.',
    ),
})
export type TableRegister = z.output<typeof tableRegister>

const registers = z
  .union([registerName, listOf(registerName, REGISTERS, 1, 50), tableRegister], { error: REGISTERS })
  .transform(given => (typeof given === 'string' ? [given] : Array.isArray(given) ? [...new Set(given)] : given))

const AUDIT = 'true, or a map with register, warn and fail'
const audit = z.union(
  [
    map({
      ...levels(threshold(COUNT_OR_SHARE)),
      register: orNull(registers).describe(
        'Registers of this machine, or a list of companies, where each row is looked up: a match is doubtful if another company fits clearly better.',
      ),
    }),
    z.literal(true),
  ],
  { error: AUDIT },
)
const ofLastRun = check(threshold('a comparison with a share, such as "< 80%"', true)).optional()
const checks = map({
  matched: anyCheck.optional().describe('Rows matched.'),
  unmatched: anyCheck.optional().describe('Rows not matched.'),
  review: anyCheck.optional().describe('Rows to review.'),
  duplicates: anyCheck.optional().describe('Rows that repeat another.'),
  failed: anyCheck.optional().describe('Rows that failed.'),
  drift: check(threshold('a comparison with a share, such as "> 15%"', true))
    .optional()
    .describe('Change of the match rate against the last good run of this pipeline.'),
  rows: ofLastRun.describe(
    'Rows of the list, as a share of those in the last good run; before anything is sent. Default: fail below 50%.',
  ),
  filled: ofLastRun.describe(
    'Filled cells of each mapped column, as a share of those in the last good run; before anything is sent. Default: fail below 50%.',
  ),
  changed: anyCheck.optional().describe('Rows whose company has other data than in the last good run.'),
  lost: anyCheck.optional().describe('Rows that had a company in the last good run and have none.'),
  moved: anyCheck.optional().describe('Rows that have another company than in the last good run.'),
  doubtful: anyCheck.optional().describe('Matches whose company seems to be a different one (`match.doubt`).'),
  declined: anyCheck.optional().describe('Rows that the decision table declines.'),
  referred: anyCheck.optional().describe('Rows that the decision table refers to a person.'),
  screened: map({
    ...levels(threshold(COUNT_OR_SHARE)),
    within: duration(HOUR, 3650 * 24 * HOUR)
      .exactOptional()
      .describe('An older search of an earlier run does not count.'),
  })
    .optional()
    .describe('Companies found that an AML search was made for; one without an id counts as not searched.'),
  hits: check(
    threshold('a comparison with a number, such as "> 0"').refine(({ unit }) => unit === 'rows', {
      error: 'a comparison with a number, such as "> 0"',
    }),
  )
    .optional()
    .describe('Hits of AML searches that no person cleared; not met while a company is not screened.'),
} satisfies Record<CheckName, z.ZodType>)

const FORMATS_EXPLAINED = OUTPUT_FORMAT_NAMES.flatMap(name => {
  const { description } = formatFacts(name)
  return description === null ? [] : [`${name}: ${description}`]
})

const NAME_IN_FILE = 'the name of a column, without control characters'
const column = z
  .union(
    [
      text('a column'),
      map({
        from: text('a column').describe('A header of the input, an enrichment tag or a match column.'),
        as: pattern(NAME_IN_FILE, /^[^\0-\x1f\x7f]{1,300}$/).describe('Its name in the output.'),
      }),
    ],
    { error: 'a column, or a map with from and as' },
  )
  .transform(given => (typeof given === 'string' ? { from: given, as: null } : given))

const KEY_COLUMNS = 'a column of the output, or a list of them'
const outputFields = map({
  path: path
    .optional()
    .describe(
      'The enriched rows; written whole or not at all. A path in the working directory, s3://bucket/key, or an https:// address that takes a PUT.',
    ),
  table: pattern('the name of a table, such as enriched.suppliers', TABLE_NAME)
    .optional()
    .describe('Instead of a path: a table of the database at url, filled in one transaction.'),
  url: databaseUrl
    .optional()
    .describe('The database of table, as one ${NAME}: postgresql://user:password@host:5432/name; or duckdb:folder/file.duckdb.'),
  mode: z
    .enum(['replace', 'append', 'upsert'])
    .optional()
    .describe(
      'How a table that exists changes (absent: replace): its rows are replaced, these are added, or rows of the same key are updated.',
    ),
  key: z
    .union([text(KEY_COLUMNS), listOf(text(KEY_COLUMNS), KEY_COLUMNS, 1, 20)], { error: KEY_COLUMNS })
    .optional()
    .transform(given => (typeof given === 'string' ? [given] : given))
    .describe('Of mode upsert: the columns that identify a row, by their names in the output.'),
  format: z
    .enum(OUTPUT_FORMAT_NAMES)
    .optional()
    .describe(`Absent: by the extension of the path. ${FORMATS_EXPLAINED.join('; ')}.`),
  onFail: z
    .enum(['keep', 'replace'])
    .prefault('keep')
    .describe('When a check fails: keep the earlier files and write NAME.rejected.csv beside them, or replace them.'),
  columns: orNull(listOf(column, 'a list of columns', 1)).describe(
    'Columns of the input by their headers, "*" for the rest of them, enrichment tags, and match.outcome, match.score, match.why …; { from: general.connectId, as: connect_id } renames one.',
  ),
  names: z
    .enum(['original', 'snake'])
    .prefault('original')
    .describe('snake: columns of the output are named in lower case with underscores, columns of the input too.'),
  unmatched: orNull(path).describe('The rows that were not matched.'),
  review: orNull(path).describe('The rows a person should look at, with the best candidate.'),
})
const outputMap = outputFields.superRefine((given, context) => {
  onePlace(given, context)
  if (given.path === undefined) return
  for (const name of ['table', 'mode', 'key'] as const)
    if (given[name] !== undefined) context.addIssue({ code: 'custom', message: 'a table instead of a path', path: [name] })
})

/** A table is written to as a path is: its address is one. */
const longOutput = ({ path, url, table, mode, key, ...rest }: z.output<typeof outputMap>) => ({
  ...rest,
  path: path ?? tableAddress(url ?? '', table ?? ''),
  table: url === undefined && table === undefined ? null : { mode: mode ?? 'replace', key: key ?? [] },
})

const NAME = 'a name of a-z, 0-9 and -, a letter or digit first, 80 characters at most'
const TAG = 'a tag of letters, digits, ".", "_" and "-"'

export const pipelineSchema = map({
  $schema: text('the address of a JSON Schema').optional().describe('For editors; fettle does not read it.'),
  version: z.literal(1).prefault(1).describe('Version of this format.'),
  name: pattern(NAME, /^[a-z0-9][a-z0-9-]{0,79}$/).describe('Part of run ids and of the remote job names.'),
  description: orNull(text('a text of 2000 characters at most', 2000)).describe('For people.'),
  tags: listOf(pattern(TAG, /^[\w.-]{1,60}$/), 'a list of tags', 0, 50)
    .prefault([])
    .describe('Tags to select pipelines by.'),
  vars: z
    .record(z.string(), z.string({ error: 'text' }), { error: 'a map of names and texts' })
    .prefault({})
    .describe('Defaults of ${vars.name}; the caller may set other values.'),
  service: orNull(service).describe(
    'embedded; where the service is; or required: the address in FETTLE_URL, never embedded. Absent: FETTLE_URL if set, else embedded.',
  ),
  register: orNull(registers).describe(
    'Registers of this machine that the embedded service matches against; sample is the invented one; or a list of companies that is imported for this pipeline. Absent: FETTLE_REGISTER, else all that were imported.',
  ),
  input,
  mappings,
  job: map({
    split: orNull(whole(1, MAX_ROWS)).describe('Most rows of one remote job.'),
    concurrency: whole(1, 32).prefault(4).describe('Remote jobs at the same time.'),
    collapse: flag().prefault(false).describe('Rows with equal mapped cells are uploaded once; all of them get the result.'),
    companyNumbers: orNull(z.enum(COMPANY_NUMBERS, { error: 'reliable or unreliable' })).describe(
      "unreliable: a number alone does not match where the name differs; reliable: it does, at the same place. fettle's own service only. Absent: by the list.",
    ),
  })
    .prefault({})
    .describe('How rows become remote jobs.'),
  send: send.describe('mapped: only the mapped columns are sent. Absent: all columns.'),
  reuse: orNull(reuse).describe(
    'Answers of earlier runs are used up to these ages, and only the other rows are sent. Absent: all rows are sent.',
  ),
  enrich: enrich
    .optional()
    .describe('none, a product, or {product, tags, headers}. Absent: basic when there is an output, else none.'),
  budget,
  retention: orNull(duration(24 * HOUR, 3650 * 24 * HOUR)).describe(
    'Remove runs of this pipeline that are older, at the end of a run; what they spent stays.',
  ),
  poll: map({
    every: duration(500, HOUR)
      .prefault('2s')
      .describe(
        'Pause between two polls of a job. At first it is a tenth of the time waited; later it grows up to max. With the embedded service the longest.',
      ),
    max: duration(500, HOUR).prefault('30s').describe('Longest pause.'),
    timeout: duration(500, 168 * HOUR)
      .prefault('2h')
      .describe('Stop waiting after this; the run can be resumed.'),
  })
    .transform(({ every, max, timeout }) => ({ everyMs: every, maxMs: max, timeoutMs: timeout }))
    .prefault({})
    .describe('How a running job is polled.'),
  retry: map({ attempts: whole(1, 10).prefault(4).describe('Attempts of one request.') })
    .prefault({})
    .describe('How requests are retried.'),
  checks: checks
    .transform(given => Object.entries(given).map(([name, levels]) => ({ name, ...levels }) as PlannedCheck))
    .prefault({})
    .describe('Thresholds: warn keeps exit 0, fail gives exit 1.'),
  output: orNull(
    z
      .union([path, outputMap], { error: 'a path, or a map with path' })
      .transform(given => longOutput(typeof given === 'string' ? outputMap.parse({ path: given }) : given)),
  ).describe('Absent: the run ends when matched.'),
  matching: matching.prefault({}).describe('How certain a match of the service must be.'),
  accept: orNull(accept).describe('Which matches of the service stand, by their band and pattern. Absent: all.'),
  review: map({
    decisions: orNull(path).describe('A CSV of decisions about rows, applied on every run; a review writes it.'),
    undone: orNull(z.enum(['warn', 'fail'], { error: 'warn or fail' })).describe(
      'When a decision that the last good run applied applies no longer to its row. Absent: fail (exit 1).',
    ),
  })
    .prefault({})
    .describe('Rows that a person should look at.'),
  candidates: orNull(candidates).describe(
    'Asks the service for companies that rows without a certain match may be, for a person to decide.',
  ),
  portfolio: orNull(portfolio).describe('Adds the companies found to this portfolio; one that is in it already stays.'),
  events: orNull(events).describe('Before matching, writes what happened to companies of the portfolio since the last run.'),
  screen: orNull(screen).describe('Starts an AML search for each company found, once per run; one credit each.'),
  dedupe: orNull(dedupe).describe(
    'Finds the rows of the list that are one company: columns dup.group, dup.size, dup.keep and dup.perhaps of the output.',
  ),
  audit: orNull(audit).describe(
    'Compares each match with its row by the names, numbers and addresses of the answer, and by a register: true, or the register and the thresholds of the check doubtful. Fills match.doubt.',
  ),
  decide: orNull(decide).describe(
    'Decides about every row by a decision table, or by a decision tree of the service: decision, decision.rule and decision.why.',
  ),
  after: after.describe('archive: the remote jobs are archived once all results are written. Absent: they stay as they are.'),
  report: map({
    rows: z
      .enum(['none', 'review', 'all'])
      .prefault('all')
      .describe(
        'Rows whose content may enter reports: none, those to review, or all that need a look: also unmatched ones and duplicates.',
      ),
    mask: listOf(text('a mapping name or a header'), 'a list of mapping names and headers')
      .prefault([])
      .describe('Columns shown as ***.'),
  })
    .prefault({})
    .describe('What row content may enter reports.'),
  notify: notify.prefault([]).describe('Who gets a message when a run ends. Never changes the exit code.'),
})

/** A pipeline as a person writes it, for `definePipeline`. */
export type PipelineInput = z.input<typeof pipelineSchema>
/** A pipeline in its long form, without the defaults that depend on another key. */
export type PipelineFields = z.output<typeof pipelineSchema>
