/** Transport, status codes, redirects and errors of every operation. */
import { gzipSync } from 'node:zlib'
import { failure } from '../service.ts'
import { type Answer, type Call, type Change, groupOf, type Operation, type Row } from '../variant.ts'

const JSON_TYPE = 'application/json'
const isJson = ({ operation }: Call): boolean => operation !== 'file'

const STEPS: readonly Operation[] = [
  'authenticate',
  'createJob',
  'upload',
  'setMappings',
  'submit',
  'readJob',
  'setEnrichments',
  'enrich',
  'enrichedFile',
  'file',
]
const WRITES: readonly Operation[] = ['createJob', 'upload', 'setMappings', 'submit', 'setEnrichments', 'enrich']
const READS: readonly Operation[] = ['readJob', 'enrichedFile', 'file']

/** Answers of the interface, and not the file, with other headers. */
const withHeaders = (headers: Record<string, string | readonly string[]>): Change => ({
  answer: (answer, call) => (isJson(call) ? { ...answer, headers: { ...answer.headers, ...headers } } : answer),
})

const withBody = (change: (body: string) => Buffer | string): Change => ({
  answer: (answer, call) => (isJson(call) ? { ...answer, body: change(String(answer.body)) } : answer),
})

const only = (
  operation: Operation,
  change: (answer: Answer, call: Call) => Answer,
  times = Number.POSITIVE_INFINITY,
): Change => ({
  answer: (answer, call) => (call.operation === operation && call.nth <= times ? change(answer, call) : answer),
})

/** The first request of an operation is answered like this, before it takes effect. */
const first = (operation: Operation, answer: (call: Call) => Answer, times = 1): Change => ({
  refuse: call => (call.operation === operation && call.nth <= times ? answer(call) : null),
})

/** The answer of the first request is lost after it took effect. */
const lost = (operation: Operation, change: (answer: Answer) => Answer): Change => only(operation, change, 1)

const html = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Down for maintenance</title>',
})

/** Writes an answer by hand and closes the connection. */
const byHand = (write: (answer: Answer, bytes: Buffer) => (Buffer | string)[], applies = isJson): Change => ({
  send(answer, call, response) {
    if (!applies(call)) return false
    const { socket } = response
    for (const piece of write(answer, Buffer.from(answer.body))) socket?.write(piece)
    socket?.end()
    return true
  },
})

const headOf = ({ status, headers }: Answer): string =>
  `${status} OK\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}`

const dropped = (operation: Operation): Change => ({
  send(_, call, response) {
    if (call.operation !== operation || call.nth > 1) return false
    response.socket?.destroy()
    return true
  },
})

const cut = (operation: Operation): Change => ({
  send(answer, call, response) {
    if (call.operation !== operation || call.nth > 1) return false
    const bytes = Buffer.from(answer.body)
    response.writeHead(answer.status, {
      ...(answer.headers as Record<string, string>),
      'content-length': String(bytes.length + 9),
    })
    response.write(bytes.subarray(0, Math.max(1, bytes.length >> 1)), () => response.socket?.destroy())
    return true
  },
})

const bodies: Row[] = [
  ['content-type text/plain', withHeaders({ 'content-type': 'text/plain' })],
  ['content-type text/html', withHeaders({ 'content-type': 'text/html' })],
  ['content-type application/problem+json', withHeaders({ 'content-type': 'application/problem+json' })],
  [
    'content-type application/vnd.api+json; charset=UTF-8',
    withHeaders({ 'content-type': 'application/vnd.api+json; charset=UTF-8' }),
  ],
  ['a charset that is not true', withHeaders({ 'content-type': 'application/json; charset=iso-8859-1' })],
  ['a charset that does not exist', withHeaders({ 'content-type': 'application/json; charset=none' })],
  ['no content-type', { answer: (answer, call) => (isJson(call) ? { ...answer, headers: {} } : answer) }],
  ['an empty content-type', withHeaders({ 'content-type': '' })],
  ['headers twice', withHeaders({ 'x-correlation-id': ['a', 'b'], 'set-cookie': ['a=1', 'b=2'], vary: ['accept', 'origin'] })],
  ['a cookie that has to be sent back', withHeaders({ 'set-cookie': 'session=1; Path=/; HttpOnly' })],
  ['a BOM before the JSON', withBody(body => `\ufeff${body}`)],
  ['white space around the JSON', withBody(body => (body === '' ? body : `\r\n\t ${body} \n\n`))],
  ['JSON over many lines', withBody(body => (body === '' ? body : JSON.stringify(JSON.parse(body), null, 4)))],
  [
    'letters written as escapes',
    withBody(body => body.replace(/[\u0080-\uffff]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)),
  ],
  ['JSON in UTF-16', withBody(body => Buffer.from(`\ufeff${body}`, 'utf16le')), 'refused'],
  [
    'JSON that was packed without being asked',
    {
      answer: (answer, call) =>
        isJson(call)
          ? { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' }, body: gzipSync(answer.body) }
          : answer,
    },
  ],
  ['a content-encoding identity', withHeaders({ 'content-encoding': 'identity' })],
  ['a prefix against scripts before the JSON', withBody(body => `)]}',\n${body}`), 'refused'],
  ['a comma too many', withBody(body => body.replace(/\}$/, ',}')), 'refused'],
  [
    'HTTP/1.0 with a length',
    byHand((answer, bytes) => [`HTTP/1.0 ${headOf(answer)}content-length: ${bytes.length}\r\n\r\n`, bytes]),
  ],
  ['HTTP/1.0 without a length', byHand((answer, bytes) => [`HTTP/1.0 ${headOf(answer)}\r\n`, bytes])],
  [
    'the end of the connection ends the answer',
    byHand((answer, bytes) => [`HTTP/1.1 ${headOf(answer)}connection: close\r\n\r\n`, bytes]),
  ],
  [
    'the end of the connection, unannounced',
    byHand((answer, bytes) => [`HTTP/1.1 ${headOf(answer)}content-length: ${bytes.length}\r\n\r\n`, bytes]),
  ],
  [
    'chunks of one byte',
    byHand((answer, bytes) => [
      `HTTP/1.1 ${headOf(answer)}transfer-encoding: chunked\r\n\r\n`,
      ...[...bytes].map(byte => Buffer.from([0x31, 13, 10, byte, 13, 10])),
      '0\r\n\r\n',
    ]),
  ],
  [
    'chunks with trailers',
    byHand((answer, bytes) => [
      `HTTP/1.1 ${headOf(answer)}transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n`,
      ...(bytes.length === 0 ? [] : [`${bytes.length.toString(16)};a=b\r\n`, bytes, '\r\n']),
      '0\r\nx-sum: 1\r\n\r\n',
    ]),
  ],
  [
    'early hints before every answer',
    byHand((answer, bytes) => [
      'HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n',
      `HTTP/1.1 ${headOf(answer)}content-length: ${bytes.length}\r\n\r\n`,
      bytes,
    ]),
    'refused',
  ],
  [
    'no reason phrase, headers in capitals',
    byHand((answer, bytes) => [
      `HTTP/1.1 ${answer.status}\r\nCONTENT-TYPE: ${JSON_TYPE}\r\nCONTENT-LENGTH: ${bytes.length}\r\n\r\n`,
      bytes,
    ]),
  ],
  [
    'a length shorter than the answer',
    byHand((answer, bytes) => [`HTTP/1.1 ${headOf(answer)}content-length: ${Math.max(0, bytes.length - 1)}\r\n\r\n`, bytes]),
    'refused',
  ],
  [
    'a line of the head that is not a header',
    byHand((answer, bytes) => [`HTTP/1.1 ${headOf(answer)}content-length: ${bytes.length}\r\nnonsense\r\n\r\n`, bytes]),
    'refused',
  ],
]

const successes: Row[] = [
  ...[200, 201, 202, 203].map(
    (status): Row => [
      `every write answered ${status}`,
      {
        answer: (answer, call) => (WRITES.includes(call.operation) ? { ...answer, status } : answer),
      },
    ],
  ),
  ...WRITES.flatMap((operation): Row[] => [
    [`204 of ${operation}`, only(operation, answer => ({ ...answer, status: 204, headers: {}, body: '' }))],
    [`an empty 200 of ${operation}`, only(operation, answer => ({ ...answer, body: '' }))],
    [`an empty 202 of ${operation}, once`, only(operation, answer => ({ ...answer, status: 202, body: '' }), 1)],
    [`null as answer of ${operation}`, only(operation, answer => ({ ...answer, body: 'null' }))],
    [`{} as answer of ${operation}`, only(operation, answer => ({ ...answer, body: '{}' }))],
    [`a text as answer of ${operation}`, only(operation, answer => ({ ...answer, body: '"OK"' }))],
  ]),
  ['create answered with Location', withHeaders({ location: '/v1/dataCleaning/jobs/a1b2c3d4-0000-4000-8000-000000000001' })],
]

const redirects: Row[] = [
  ...[301, 302, 303, 307, 308].flatMap((status): Row[] => {
    const away = (call: Call): Answer => ({
      status,
      headers: { location: call.operation === 'file' ? `/v1/files/${call.job?.id}.csv` : `?again=1` },
      body: '',
    })
    return [
      [
        `${status} of a read to itself, once`,
        first('readJob', call => ({ status, headers: { location: `/v1/dataCleaning/jobs/${call.job?.id}` }, body: '' })),
      ],
      [`${status} of the file to another path`, first('file', away)],
      [
        `${status} of a write, once`,
        first('submit', () => ({ status, headers: { location: '/elsewhere' }, body: '' })),
        'refused',
        'right',
      ],
    ]
  }),
  [
    'a redirect in a circle',
    first('file', call => ({ status: 302, headers: { location: `/files/${call.job?.id}.csv` }, body: '' }), 1e6),
    'refused',
  ],
  ['a redirect to nowhere', first('file', () => ({ status: 302, headers: {}, body: '' }), 1e6), 'refused'],
  [
    'a redirect of the file to another host',
    first('file', () => ({ status: 302, headers: { location: 'http://files.elsewhere.example/f.csv' }, body: '' }), 1e6),
    'refused',
  ],
  [
    'a redirect to the page of a login',
    first('readJob', () => ({ status: 302, headers: { location: '/login' }, body: '' }), 1e6),
    'refused',
  ],
]

/** Whether enriching started is not known then: a later command looks again before it pays. */
const inDoubt = (operation: string, isDoubt = true): readonly ['refused' | 'right', 'right'] =>
  operation === 'enrich' && isDoubt ? ['refused', 'right'] : ['right', 'right']

const errors: Row[] = [
  ...STEPS.flatMap(operation =>
    [500, 502, 503, 504, 408].map(
      (status): Row => [
        `${status} of ${operation}, once`,
        first(operation, () => failure(status)),
        ...inDoubt(operation, status !== 503),
      ],
    ),
  ),
  ...WRITES.flatMap(operation =>
    [500, 502, 503, 504, 408].map(
      (status): Row => [`${status} of ${operation} after its effect`, lost(operation, () => html(status))],
    ),
  ),
  ...STEPS.map((operation): Row => [`${operation}: the connection breaks`, dropped(operation)]),
  ...STEPS.map((operation): Row => [`${operation}: the answer is cut`, cut(operation)]),
  ...STEPS.map(
    (operation): Row => [
      `${operation}: a page of maintenance with 200, once`,
      first(operation, () => html(200)),
      ...inDoubt(operation),
    ],
  ),
  ...STEPS.filter(one => one !== 'authenticate').map(
    (operation): Row => [
      `${operation}: 401, once`,
      first(operation, () => ({ status: 401, headers: { 'content-type': JSON_TYPE }, body: '{"error":"Invalid token."}' })),
    ],
  ),
  ...STEPS.map(
    (operation): Row => [
      `${operation}: 429 with Retry-After, once`,
      first(operation, () => failure(429, { 'retry-after': '7' })),
    ],
  ),
  ...[undefined, '1', 'soon', '1.5', '-3', 'Thu, 01 Jan 1970 00:00:00 GMT'].map(
    (after): Row => [
      `429 of a write, Retry-After ${after ?? 'absent'}`,
      first('submit', () => failure(429, after === undefined ? {} : { 'retry-after': after }), 2),
    ],
  ),
  ['429 for hours', first('submit', () => failure(429, { 'retry-after': '20000' })), 'refused', 'right'],
  ['503 for hours', first('readJob', () => failure(503, { 'retry-after': '20000' })), 'refused', 'right'],
  ...[400, 403, 404, 407, 409, 410, 413, 415, 422, 451].map(
    (status): Row => [
      `${status} of submit, once`,
      first('submit', () => failure(status)),
      status === 404 ? 'right' : 'refused',
      'right',
    ],
  ),
  ...[403, 404, 410].map((status): Row => [`${status} of the file, once`, first('file', () => failure(status)), 'right']),
  ...[403, 410].map((status): Row => [`${status} of the file for ever`, first('file', () => failure(status), 1e6), 'refused']),
  ['403 of the login', first('authenticate', () => failure(403), 1e6), 'refused'],
  ['401 of the login', first('authenticate', () => failure(401), 1e6), 'refused'],
  [
    'a token that is void after three requests',
    {
      refuse: (() => {
        const uses = new Map<string, number>()
        return ({ operation, headers }: Call) => {
          const token = String(headers.authorization)
          if (operation === 'authenticate' || operation === 'file') return null
          uses.set(token, (uses.get(token) ?? 0) + 1)
          return (uses.get(token) ?? 0) > 3 ? failure(401) : null
        }
      })(),
    },
  ],
  ...READS.map((operation): Row => [`an outage of ${operation} for a dozen requests`, first(operation, () => failure(503), 12)]),
  ...WRITES.map(
    (operation): Row => [
      `an outage of ${operation} for eight requests`,
      first(operation, () => html(502), 8),
      inDoubt(operation)[0],
    ],
  ),
  ...WRITES.map(
    (operation): Row => [`an error without end of ${operation}`, first(operation, () => failure(500), 1e6), 'refused'],
  ),
]

export const TRANSPORT = [
  ...groupOf('transport', bodies),
  ...groupOf('success', successes),
  ...groupOf('redirects', redirects),
  ...groupOf('errors', errors),
]
