/** What a recording holds of exchanges full of canaries: the structure, and none of the data. */
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createRecorder } from '../../../src/client/record/recorder.ts'
import type { CassetteExchange } from '../../../src/contract/index.ts'
import { dressesOf } from '../../support/check-run/secrets.ts'
import {
  type Answer,
  clientOf,
  createVirtualClock,
  cutReply,
  errorOf,
  fault,
  JOBS,
  LOGIN,
  page,
  reset,
  serveScript,
  uploadOf,
} from './kit.ts'

const RUN = '20260101T000000Z-customers-of-berta-ab12ef'
/** Names, streets and the like: every one is looked for in every encoding. */
const CANARIES = [
  'Bertaquark Schmidtson',
  'bertaquark.schmidtson@quarkmail.example',
  'Quarkstreetlane',
  '4917655512345678',
  '1971-03-29',
  'QX99887766',
  'token-quarktoken',
  'canary-password',
]
const [PERSON, MAIL, STREET, PHONE, BIRTH, NUMBER, TOKEN] = CANARIES as [string, string, string, string, string, string, string]

function recorded(server: { url: string }, more: Parameters<typeof clientOf>[1] = {}) {
  const exchanges: CassetteExchange[] = []
  const clock = createVirtualClock()
  const recorder = createRecorder({
    key: randomBytes(32),
    runId: RUN,
    clock,
    startedAt: clock.now(),
    append: exchange => void exchanges.push(exchange),
  })
  return { client: clientOf(server, { recorder, ...more }), exchanges }
}

/** Where a canary stands in what was recorded: whole, in pieces, encoded. */
function hits(exchanges: readonly CassetteExchange[]): string[] {
  const text = exchanges.map(exchange => JSON.stringify(exchange)).join('\n')
  const pieces = CANARIES.flatMap(one => [one, ...one.split(/[ @.]/).filter(part => part.length >= 8)])
  const forms = pieces.flatMap(one => [...dressesOf(one), [createHash('sha256').update(one).digest('hex'), 'hashed'] as const])
  const plain = text.toLowerCase()
  return forms.filter(([form]) => plain.includes(form.toLowerCase())).map(([form, dress]) => `${form} ${dress}`)
}

const json = (value: unknown, headers: Record<string, string> = {}): Answer => ({ json: value, headers })

describe('a recording', () => {
  test('keeps no name, number, address or secret of jobs, hits, people, errors, files and requests', async () => {
    const file = [
      'Kunde,Mail,match.outcome,match.score,general.rowNumber,general.companyName,general.duplicate',
      `"${PERSON}, ${STREET}",${MAIL},matched,0.93,1,${PERSON},N`,
      `${PERSON.toUpperCase()},${MAIL},${PERSON},${PHONE},${NUMBER},"{""name"":""${PERSON}""}",Y`,
      `unclosed "${PERSON},${MAIL}`,
    ].join('\r\n')
    const hit = {
      id: NUMBER,
      type: 'individual',
      datasets: ['SAN', PERSON],
      name: PERSON,
      datesOfBirth: [BIRTH],
      phone: Number(PHONE),
      addresses: [{ street: STREET, [PERSON]: 1 }],
      status: PERSON,
      unknown: { note: `born ${BIRTH}`, list: [MAIL, null, true, 7.5] },
      hitScore: 93,
    }
    const job = { id: NUMBER, name: `fettle-${RUN}`, status: 'matchedSomehow', createdAt: '2026-01-01T10:00:00.1234567' }
    const server = await serveScript({
      [LOGIN]: [json({ token: TOKEN, user: PERSON })],
      [`POST ${JOBS}`]: [json(job)],
      [`GET ${JOBS}/${NUMBER}`]: [json({ ...job, owner: PERSON, jobSummary: { matched: 12 } })],
      [`POST ${JOBS}/${NUMBER}/upload`]: [json({ id: 'f', sourceFilename: `${PERSON}.csv` })],
      [`GET ${JOBS}/${NUMBER}/enrichedFile`]: [json({ filePath: `/files/${NUMBER}.csv?sig=${TOKEN}&of=${MAIL}` })],
      [`GET /files/${NUMBER}.csv`]: [{ text: file, headers: { 'content-type': 'text/csv' } }],
      'GET /compliance/kyc-protect/searches/businesses': [json({ items: [hit], totalSize: 1 })],
      'GET /people': [
        json({ directors: [hit], totalSize: 1 }),
        { status: 400, json: { message: `The name ${PERSON} is not valid` } },
        page,
      ],
      'GET /consumers': [{ text: `<p>${PERSON} ${MAIL}</p>`, headers: { 'content-type': 'text/html', location: MAIL } }],
    })
    const { client, exchanges } = recorded(server)
    await client.api.createJob({ body: { name: `fettle-${RUN}` } })
    await client.readJob(NUMBER)
    const { file: upload } = uploadOf(Buffer.from(`${PERSON},${MAIL}\n`))
    await client.upload(NUMBER, upload, { key: PERSON, look: async () => undefined })
    const chunks: Uint8Array[] = []
    for await (const chunk of (await client.openEnrichedFile(NUMBER)).body) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe(file)
    const query = { firstName: PERSON, dateOfBirth: BIRTH, page: 1 }
    const search = (): Promise<unknown> => client.request('GET', '/people', { query })
    await search()
    for (let n = 0; n < 2; n++) await errorOf(search())
    await client.request('GET', '/compliance/kyc-protect/searches/businesses')
    await errorOf(client.request('GET', '/consumers', { query: { name: PERSON } }))
    await errorOf(
      client.request('POST', `/nothing/${encodeURIComponent(PERSON)}` as '/', { body: { name: PERSON, iban: NUMBER } }),
    )

    expect(hits(exchanges)).toEqual([])
    const text = JSON.stringify(exchanges)
    for (const kept of ['matchedSomehow', '2026-01-01T10:00:00.1234567', '"datasets":["SAN"', 'is not valid', '"hitScore":93'])
      expect(text).toContain(kept)
    expect(text).toContain('"name":"fettle-{run}"')
    expect(text).toContain('"matched":12')
    const csv = exchanges.find(({ operation }) => operation === 'file')!.answer as { text: string }
    const rows = csv.text.split('\r\n')
    expect(rows[0]).toMatch(
      /^\w{5},\w{4},match\.outcome,match\.score,general\.rowNumber,general\.companyName,general\.duplicate$/,
    )
    expect(rows[1]).toMatch(/^"\w{10} \w{10}, \w{15}",\S+@\S+,matched,0\.93,1,\w{10} \w{10},N$/)
  })

  test('shows that a value is the same in a cell, a path, a query and an answer', async () => {
    const server = await serveScript({
      [`GET ${JOBS}/${NUMBER}`]: [json({ id: NUMBER, name: 'a', status: 'created' })],
      'GET /people': [json({ name: PERSON.toUpperCase() })],
    })
    const { client, exchanges } = recorded(server)
    await client.readJob(NUMBER)
    await client.request('GET', '/people', { query: { name: PERSON } })
    const [read, people] = exchanges.slice(1) as [CassetteExchange, CassetteExchange]
    expect((read.answer as { json: { id: string } }).json.id).toBe(read.params!.id)
    expect((people.answer as { json: { name: string } }).json.name).toBe(people.query!.name!.toUpperCase())
  })

  test('notes lost, cut, refused and unreadable answers', async () => {
    const image = Buffer.from([0xff, 0xd8, 0, 1, 2, 3, 4, 5])
    const server = await serveScript({
      'GET /people': [reset, cutReply, fault(503, { 'retry-after': '3' }), { status: 204, text: '' }],
      'GET /images/1': [(_, response) => void response.end(image)],
    })
    const { client, exchanges } = recorded(server)
    await client.request('GET', '/people')
    await client.request('GET', '/images/1', { as: 'bytes' })
    expect(
      exchanges.slice(1).map(({ status, lost, cut, headers }) => ({ status, lost, cut, pause: headers?.['retry-after'] })),
    ).toEqual([
      { lost: { kind: 'reset', sent: true } },
      { status: 200, cut: true },
      { status: 503, pause: '3' },
      { status: 204 },
      { status: 200 },
    ])
    expect(exchanges.at(-1)!.answer).toEqual({ bytes: 8, start: 'ffd80001' })
  })
})
