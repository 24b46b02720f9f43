import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import { HandClock, logIn, send, startService, temporaryFolder } from './kit.ts'

const CSV = 'Name,Note\nAcme Ltd,"a, ""b"""\nacme ltd,\nAcmeco,x\nNobody,\nCork SA,é\n'

test('a job walks from created to its enriched file', async () => {
  const caller = await logIn(await startService())
  const id = await caller.create('walk')
  expect((await caller.call('GET', `/dataCleaning/jobs/${id}`)).body.status).toBe('created')
  const uploaded = await caller.upload(id, CSV)
  expect(uploaded).toMatchObject({ status: 200, body: { sourceFilename: 'suppliers.csv', hasHeader: true, status: 'uploaded' } })
  const mappings = [{ mapping: 'name', value: '0' }]
  expect((await caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, { mappings })).body).toEqual(mappings)
  expect((await caller.reach(id, 'ready')).body.jobSummary).toBeUndefined()
  expect((await caller.call('POST', `/dataCleaning/jobs/${id}/submit`, {})).body.messageId).toMatch(/-/)
  const matched = await caller.reach(id, 'matched')
  expect(matched.body.jobSummary).toMatchObject({ totalRows: 5, matched: 2, manualMatched: 0, unmatched: 2, duplicates: 1 })
  await caller.reach(id, 'jobMatchingComplete')

  // Chosen out of order: they come back in the order of the service's list.
  const enrichments = ['general.duplicateId', 'general.connectId', 'general.rowNumber', 'contact.city'].map(enrichment => ({
    enrichment,
  }))
  expect((await caller.call('PUT', `/dataCleaning/jobs/${id}/enrichments`, { enrichments })).body).toEqual({ enrichments })
  expect((await caller.call('POST', `/dataCleaning/jobs/${id}/enrich`, {})).body).toEqual([{}])
  const done = await caller.reach(id, 'enrichmentComplete')
  expect(done.body.jobEnrichmentSettings).toEqual({ creditType: 'basic' })
  expect(done.body.countryCode).toBeUndefined()

  const link = await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile?fileType=csv`)
  const file = await send(link.body.filePath)
  expect(file.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(file.headers.get('x-content-type-options')).toBe('nosniff')
  expect(Number(file.headers.get('content-length'))).toBe(Buffer.byteLength(file.body))
  expect(parse(file.body)).toEqual([
    ['Name', 'Note', 'general.connectId', 'general.rowNumber', 'general.duplicateId', 'contact.city'].concat([
      'match.outcome',
      'match.score',
      'match.matchScore',
      'match.why',
      'match.reason',
      'match.candidateId',
      'match.candidateName',
      'match.register',
      'match.otherIds',
      'match.candidates',
    ]),
    ['Acme Ltd', 'a, "b"', 'GB-X-01', '1', '', 'Leeds', 'matched', '0.988', '988', 'name', '', '', '', 'test', '', ''],
    ['acme ltd', '', 'GB-X-01', '2', '1', 'Leeds', 'duplicate', '0.988', '988', 'name', '', '', '', 'test', '', ''],
    [
      'Acmeco',
      'x',
      '',
      '3',
      '',
      '',
      'review',
      '0.600',
      '937',
      'name',
      'between-thresholds',
      'GB-X-01',
      'ACME LTD',
      'test',
      '',
      expect.stringContaining('"town":"Leeds"'),
    ],
    ['Nobody', '', '', '4', '', '', 'unmatched', '0.000', '893', '', 'no-candidate', '', '', '', '', ''],
    ['Cork SA', 'é', 'FR-X-03', '5', '', 'Leeds', 'matched', '0.988', '988', 'name', '', '', '', 'test', '', ''],
  ])
  const [proposed] = JSON.parse((parse(file.body) as string[][])[3]!.at(-1)!) as object[]
  expect(proposed).toMatchObject({
    id: 'GB-X-01',
    name: 'ACME LTD',
    why: 'name',
    tags: { 'general.connectId': 'GB-X-01', 'contact.city': 'Leeds' },
  })
  // Made when it is asked for, once, also for two that ask at the same time.
  const ask = () => caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile?fileType=json`)
  for (const link of [...(await Promise.all([ask(), ask()])), await ask()]) {
    const all = (await send(link.body.filePath)).body as Record<string, string>[]
    const names = (parse(file.body) as string[][])[0]!
    expect(all.map(row => names.map(name => row[name]))).toEqual((parse(file.body) as string[][]).slice(1))
    expect(all[4]).toMatchObject({ Name: 'Cork SA', 'match.outcome': 'matched' })
  }
})

test('a header that carries a tag name is kept, and the tag is appended even so', async () => {
  const caller = await logIn(await startService())
  const id = await caller.submitted('name;general.connectId\nBolt Ltd;mine\n')
  await caller.reach(id, 'jobMatchingComplete')
  await caller.call('PUT', `/dataCleaning/jobs/${id}/enrichments`, { enrichments: [{ enrichment: 'general.connectId' }] })
  await caller.call('POST', `/dataCleaning/jobs/${id}/enrich`)
  expect((await caller.reach(id, 'enrichmentComplete')).body.countryCode).toBe('GB')
  const link = await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile`)
  const [header, row] = parse((await send(link.body.filePath)).body) as string[][]
  expect(header?.slice(0, 3)).toEqual(['name', 'general.connectId', 'general.connectId'])
  expect(row?.slice(0, 3)).toEqual(['Bolt Ltd', 'mine', 'GB-X-02'])
  const json = await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile?fileType=json`)
  expect((await send(json.body.filePath)).body[0]).toMatchObject({
    'general.connectId': 'mine',
    'general.connectId (2)': 'GB-X-02',
  })
})

test('a file without a header gets column names, and its first line is a row', async () => {
  const caller = await logIn(await startService())
  const id = await caller.create()
  await caller.upload(id, 'Acme Ltd,1\n\nCork SA,2', 'FALSE')
  await caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, [{ mapping: 'name', value: '0' }])
  await caller.call('POST', `/dataCleaning/jobs/${id}/submit`)
  expect((await caller.reach(id, 'jobMatchingComplete')).body.jobSummary).toMatchObject({ totalRows: 2, matched: 2 })
  await caller.call('POST', `/dataCleaning/jobs/${id}/enrich`)
  await caller.reach(id, 'enrichmentComplete')
  const link = await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile`)
  const [header] = parse((await send(link.body.filePath)).body) as string[][]
  expect(header?.slice(0, 3)).toEqual(['COLUMN A', 'COLUMN B', 'general.safeNumber'])
})

test('a job that no client reads leaves matched after a limited time, unless stopAt holds it there', async () => {
  const clock = new HandClock()
  const left = await logIn(await startService({ clock }))
  const id = await left.submitted(CSV)
  // A list is no read of the job: it stays at matched while time stands still.
  const status = async (): Promise<string> => (await left.call('GET', '/dataCleaning/jobs')).body[0].status
  while ((await status()) !== 'matched') await setImmediate()
  clock.move(1_999)
  expect(await status()).toBe('matched')
  clock.move(1)
  while ((await status()) !== 'jobMatchingComplete') await setImmediate()
  expect((await left.reach(id, 'jobMatchingComplete')).body.jobSummary.totalRows).toBe(5)
})

test('stopAt ends a job at matched', async () => {
  const staying = await logIn(await startService({ stopAt: 'matched' }))
  const id = await staying.submitted(CSV)
  await staying.reach(id, 'matched')
  for (let n = 0; n < 20; n++) await staying.reach(id, 'matched')
})

test('a new upload replaces the file and asks for mappings again', async () => {
  const dataDir = await temporaryFolder()
  const caller = await logIn(await startService({ dataDir }))
  const id = await caller.create()
  await caller.upload(id, CSV)
  await caller.call('PUT', `/dataCleaning/jobs/${id}/mappings`, [{ mapping: 'name', value: '1' }])
  await caller.upload(id, 'name\nBolt Ltd\n')
  expect((await caller.call('POST', `/dataCleaning/jobs/${id}/submit`, {})).body.details).toMatch(
    /status is uploaded; needed is ready/,
  )
  expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(1)
})
