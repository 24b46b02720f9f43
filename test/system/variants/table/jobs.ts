/** The shape of the JSON, jobs and their statuses, and the link to the file. */
import { failure } from '../service.ts'
import { type Call, type Change, groupOf, type Operation, type Row } from '../variant.ts'

type Json = Record<string, unknown>

/** Changes every job record, alone or in a list. */
const eachJob = (change: (record: Json, call: Call) => unknown): Change => ({
  json(value, call) {
    if (call.operation === 'createJob' || call.operation === 'readJob') return change(value, call)
    return call.operation === 'listJobs' ? (value as Json[]).map(record => change(record, call)) : undefined
  },
})

/** Changes the counts of every job record that has them. */
const eachSummary = (change: (counts: Record<string, number>) => unknown): Change =>
  eachJob(record =>
    'jobSummary' in record ? { ...record, jobSummary: change(record.jobSummary as Record<string, number>) } : record,
  )

export const NO_COUNTS: Change = eachJob(({ jobSummary: _, ...record }) => record)
export const TOTAL_ONLY: Change = eachSummary(({ totalRows }) => ({ totalRows }))

const withKeys = (keys: Json): Change => eachJob(record => ({ ...record, ...keys }))

const mapped = (counts: Record<string, number>, change: (count: number) => unknown): Json =>
  Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, change(count)]))

const nulls = (value: unknown, keeps: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map(item => nulls(item, keeps))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keeps.includes(key) ? inner : null]))
}

const NEEDED = ['id', 'name', 'status', 'token', 'filePath', 'mapping', 'value', 'enrichment', 'enrichments']

const shape: Row[] = [
  ['null in every field that is not needed', { json: value => nulls(value, NEEDED) }],
  ['only the fields that are needed', eachJob(({ id, name, status }) => ({ id, name, status }))],
  ['id and status alone', eachJob(({ id, status }) => ({ id, status })), 'refused'],
  ['fields of other kinds', withKeys({ links: [{ rel: 'self' }], 'x-y': { deep: [1, [2]] }, archived: 'false', countryCode: 7 })],
  ['a thousand more fields', withKeys(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`field${at}`, at])))],
  ['a field of 200 kB', withKeys({ description: 'x'.repeat(200_000) })],
  ['ids of users as text', withKeys({ managingUserId: '123456789', owningUserId: 'ann' })],
  [
    'a field twice',
    {
      answer: answer => ({
        ...answer,
        body: typeof answer.body === 'string' ? answer.body.replace('{"id":', '{"id":"x","id":') : answer.body,
      }),
    },
  ],
  [
    'a field __proto__',
    {
      answer: answer => ({
        ...answer,
        body:
          typeof answer.body === 'string' ? answer.body.replace('{"id":', '{"__proto__":{"status":"ready"},"id":') : answer.body,
      }),
    },
  ],
  ...[
    '2026-02-07T14:07:10',
    '2026-02-07T14:07:10Z',
    '2026-02-07T14:07:10.123456789+02:00',
    '2026-02-07 14:07:10',
    '07.02.2026 14:07',
    '/Date(1770473230000)/',
    '',
    1_770_473_230_000,
  ].map((date): Row => [`dates as ${JSON.stringify(date)}`, withKeys({ createdAt: date, modifiedAT: date, modifiedAt: date })]),
  [
    'the list of jobs in an envelope',
    { json: (value, { operation }) => (operation === 'listJobs' ? { items: value, totalSize: value.length } : undefined) },
  ],
  ['an envelope around every answer', { json: value => ({ data: value }) }, 'refused'],
  ['a list of one around every job', eachJob(record => [record]), 'refused'],
  [
    'the token among other fields',
    {
      json: (value, { operation }) =>
        operation === 'authenticate' ? { ...value, expires_in: 3600, token_type: 'Bearer', refresh: null } : undefined,
    },
  ],
  [
    'the token under another name',
    { json: (value, { operation }) => (operation === 'authenticate' ? { access_token: value.token } : undefined) },
    'refused',
  ],
  ['messageId null', { json: (_, { operation }) => (operation === 'submit' ? { messageId: null } : undefined) }],
  ['messageId a number', { json: (_, { operation }) => (operation === 'submit' ? { messageId: 17 } : undefined) }],
  [
    'an upload without id',
    { json: (value, { operation }) => (operation === 'upload' ? { ...value, id: undefined } : undefined) },
  ],
  [
    'an upload whose id is a number',
    { json: (value, { operation }) => (operation === 'upload' ? { ...value, id: 17 } : undefined) },
  ],
  [
    'an upload that answers with the job',
    { json: (value, { operation, job }) => (operation === 'upload' ? { ...value, id: job?.id, name: job?.name } : undefined) },
  ],
  [
    'mappings in an envelope',
    { json: (value, { operation }) => (operation === 'setMappings' ? { mappings: value } : undefined) },
  ],
  [
    'mappings with numbers',
    {
      json: (value, { operation }) =>
        operation === 'setMappings' ? value.map((one: Json) => ({ ...one, value: Number(one.value) })) : undefined,
    },
  ],
  [
    'enrichments as a bare list',
    { json: (value, { operation }) => (operation === 'setEnrichments' ? value.enrichments : undefined) },
  ],
  [
    'enrichments as words',
    {
      json: (value, { operation }) =>
        operation === 'setEnrichments' ? value.enrichments.map((one: { enrichment: string }) => one.enrichment) : undefined,
    },
  ],
  [
    'enrich answered with the job',
    { json: (_, { operation, job }) => (operation === 'enrich' ? { id: job?.id, status: job?.status } : undefined) },
  ],
]

const counts: Row[] = [
  ['no counts', NO_COUNTS],
  ['counts null', eachSummary(summary => mapped(summary, () => null))],
  ['no summary but null', withKeys({ jobSummary: null })],
  ['an empty summary', eachSummary(() => ({}))],
  ['a summary that is a list', eachSummary(() => [])],
  ['a summary that is a text', eachSummary(() => 'done')],
  ['the total alone', TOTAL_ONLY],
  ['counts as text', eachSummary(summary => mapped(summary, String))],
  ['counts as text with a fraction', eachSummary(summary => mapped(summary, count => `${count}.0`))],
  ['counts in other words', eachSummary(summary => mapped(summary, () => 'many'))],
  ['matched alone', eachSummary(({ matched }) => ({ matched }))],
  ['more counts', eachSummary(summary => ({ ...summary, errors: 0, pending: 0 }))],
  [
    'counts after enriching only',
    eachJob(record => (record.status === 'enrichmentComplete' ? record : { ...record, jobSummary: undefined })),
  ],
  ['a total without the header', eachSummary(summary => ({ ...summary, totalRows: (summary.totalRows ?? 0) + 1 })), 'refused'],
  ['more matched than there are', eachSummary(summary => ({ ...summary, matched: 39, unmatched: 1 })), 'refused'],
  ['fewer matched than there are', eachSummary(summary => ({ ...summary, matched: 3, unmatched: 37 })), 'refused'],
  ['none matched', eachSummary(summary => ({ ...summary, matched: 0, unmatched: 40 })), 'refused'],
  ['all zero', eachSummary(summary => mapped(summary, () => 0)), 'refused'],
  ['negative counts', eachSummary(summary => mapped(summary, count => -count))],
]

/** The statuses after a request, when a run asks for them. */
const after = (operation: Operation, ...statuses: string[]): Change => ({
  walk: (done, usual) => (done === operation ? statuses : usual),
})

const MATCHED = 'jobMatchingComplete'
const DONE = 'enrichmentComplete'

const statusOnce = (status: unknown): Change =>
  eachJob((record, { operation, nth }) => (operation === 'readJob' && nth === 4 ? { ...record, status } : record))

const spelled = (spell: (status: string) => string): Change =>
  eachJob(record => ({ ...record, status: spell(String(record.status)) }))

const jobs: Row[] = [
  ['straight to the end of matching', after('submit', MATCHED)],
  ['straight to the end of enriching', after('enrich', DONE)],
  ['a hundred polls of matching', after('submit', ...Array<string>(100).fill('matching'), MATCHED)],
  [
    'every status of the interface on the way',
    after('submit', 'matching', 'matched', 'aggregating', 'aggregatingComplete', MATCHED),
  ],
  ['back from matched to matching', after('submit', 'matched', 'matching', 'matched', MATCHED, MATCHED)],
  ['back from the end to matching', after('submit', MATCHED, 'matching', MATCHED, MATCHED, MATCHED)],
  ['back from enriched to enriching', after('enrich', 'enriched', 'enriching', DONE, DONE, DONE)],
  ['a word that nobody knows, in between', after('submit', 'matching', 'queuedForTrillium', MATCHED)],
  ['a word that nobody knows, in between, of enriching', after('enrich', 'enriching', 'writingFile', DONE)],
  ['slow to store the upload', after('upload', 'uploading', 'uploading', 'uploading', 'uploaded')],
  [
    'an upload that broke once',
    { walk: (done, usual, nth) => (done === 'upload' && nth === 1 ? ['uploading', 'uploadError'] : usual) },
  ],
  ['an upload that always breaks', after('upload', 'uploading', 'uploadError'), 'refused'],
  ['slow to take the mappings', after('setMappings', 'uploaded', 'uploaded', 'ready'), 'refused', 'right'],
  [
    'no operation to submit',
    {
      lacks: ['submit'],
      walk: (done, usual) => (done === 'setMappings' ? ['ready', 'ready', 'matching', MATCHED] : usual),
    },
  ],
  [
    'no operation to submit, an hour in the queue',
    {
      lacks: ['submit'],
      walk: (done, usual) => (done === 'setMappings' ? [...Array<string>(90).fill('ready'), 'matching', MATCHED] : usual),
    },
  ],
  [
    'no operation to submit, the upload breaks',
    {
      lacks: ['submit'],
      walk: (done, usual) => (done === 'setMappings' ? ['ready', 'uploadError'] : usual),
    },
    'refused',
  ],
  ...[
    'matchingError',
    'aggregatingError',
    'transformFileError',
    'generateTrilliumFileError',
    'jobMatchingCompletionError',
    'somethingError',
    'matchingFailed',
  ].map((status): Row => [`${status} of matching`, after('submit', 'matching', status), 'refused']),
  ...['enrichmentError', 'enrichmentCompletionError', 'pdfGenerationError', 'addedToPortfolioError'].map(
    (status): Row => [`${status} of enriching`, after('enrich', 'enriching', status), 'refused'],
  ),
  ['matching without end', after('submit', 'matching'), 'refused'],
  ['enriching without end', after('enrich', 'enriching'), 'refused'],
  ['statuses in capitals', spelled(status => status.toUpperCase())],
  ['statuses in lower case', spelled(status => status.toLowerCase())],
  ['statuses that begin with a capital', spelled(status => status.replace(/^./, letter => letter.toUpperCase()))],
  ['statuses with underscores', spelled(status => status.replace(/[A-Z]/g, letter => `_${letter}`).toUpperCase())],
  ['statuses with spaces around', spelled(status => ` ${status}\n`)],
  ...[null, '', 7, {}].map((status): Row => [`status ${JSON.stringify(status)} once`, statusOnce(status)]),
  ['the job is not found once', { refuse: ({ operation, nth }) => (operation === 'readJob' && nth === 3 ? failure(404) : null) }],
  [
    'the job is gone for ever',
    { refuse: ({ operation, nth }) => (operation === 'readJob' && nth > 3 ? failure(404) : null) },
    'refused',
  ],
  ['the job is archived on the way', eachJob(record => ({ ...record, archived: true }))],
  [
    'the job has another name on the way',
    eachJob((record, { operation, nth }) => (operation === 'readJob' && nth > 3 ? { ...record, name: 'of another' } : record)),
    'refused',
  ],
  [
    'another id in the answers',
    eachJob((record, { operation }) => (operation === 'readJob' ? { ...record, id: 'other' } : record)),
  ],
  [
    'a job of others in the list',
    {
      json: (value, { operation }) =>
        operation === 'listJobs' ? [{ id: 'other', name: 'of another', status: 'created' }, ...value] : undefined,
    },
  ],
  [
    'the tags are refused once',
    { refuse: ({ operation, nth }) => (operation === 'setEnrichments' && nth === 1 ? failure(409) : null) },
    'refused',
    'right',
  ],
  [
    'enriching is refused for ever',
    { refuse: ({ operation }) => (operation === 'enrich' ? failure(400, {}, 'no credits') : null) },
    'refused',
  ],
]

const linked = (link: (path: string, call: Call) => unknown): Change => ({
  json: (value, call) =>
    call.operation === 'enrichedFile' ? { ...value, filePath: link(`files/${call.job?.id}.csv`, call) } : undefined,
})

const links: Row[] = [
  ['a link from the root', linked(path => `/${path}`)],
  ['a link relative to the base', linked(path => path)],
  ['a link without scheme', linked((path, { host }) => `//${host}/${path}`)],
  ['a link with spaces around', linked((path, { host }) => ` http://${host}/${path} `)],
  ['a link with a fragment', linked((path, { host }) => `http://${host}/${path}#part`)],
  ['a link with signs in the query', linked((path, { host }) => `http://${host}/${path}?X-Amz-Signature=a/b+c=&e=%2F%20&u=ü`)],
  ['a link null once', linked((path, { host, nth }) => (nth === 1 ? null : `http://${host}/${path}`)), 'refused', 'right'],
  ['an empty link', linked(() => ''), 'refused'],
  ['a link null', linked(() => null), 'refused'],
  ['a link to another host over http', linked(path => `http://files.example/${path}`), 'refused'],
  ['a link to a file of this machine', linked(() => 'file:///etc/passwd'), 'refused'],
  ['a link to the metadata of a cloud', linked(() => 'http://169.254.169.254/latest'), 'refused'],
  ['a link with a password', linked((path, { host }) => `http://me:secret@${host}/${path}`), 'refused'],
  ['a link that is not an address', linked(() => 'http://['), 'refused'],
  [
    'a link under another name',
    { json: (value, { operation }) => (operation === 'enrichedFile' ? { url: value.filePath } : undefined) },
    'refused',
  ],
  [
    'a link in another case',
    { json: (value, { operation }) => (operation === 'enrichedFile' ? { FilePath: value.filePath } : undefined) },
    'refused',
  ],
  [
    'a bare text as link',
    { json: (value, { operation }) => (operation === 'enrichedFile' ? value.filePath : undefined) },
    'refused',
  ],
  [
    'a list of links',
    { json: (value, { operation }) => (operation === 'enrichedFile' ? { filePath: [value.filePath] } : undefined) },
    'refused',
  ],
  [
    'the file itself in place of the link',
    {
      answer: (answer, { operation }) =>
        operation === 'enrichedFile' ? { ...answer, headers: { 'content-type': 'text/csv' }, body: 'ref,Company\n' } : answer,
    },
    'refused',
  ],
  [
    '404 of the link at first',
    { refuse: ({ operation, nth }) => (operation === 'enrichedFile' && nth < 4 ? failure(404) : null) },
  ],
  [
    '400 of the link at first',
    { refuse: ({ operation, nth }) => (operation === 'enrichedFile' && nth < 4 ? failure(400) : null) },
  ],
  [
    '202 of the link, once',
    {
      refuse: ({ operation, nth }) =>
        operation === 'enrichedFile' && nth === 1
          ? { status: 202, headers: { 'content-type': 'application/json' }, body: '{}' }
          : null,
    },
    'refused',
    'right',
  ],
]

export const JOBS = [...groupOf('JSON', shape), ...groupOf('counts', counts), ...groupOf('jobs', jobs), ...groupOf('link', links)]
