/** The description of the interface, and a client that a stranger's generator makes of it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateApi } from 'swagger-typescript-api'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { OPERATIONS, type Operation, type OperationName } from '../../../src/contract/index.ts'
import { PLAY_NAMES, PLAYS, type Play, type PlayName } from '../../../src/service/plays.ts'
import { send, startService, temporaryFolder } from './kit.ts'

const originOf = (url: string): string => new URL(url).origin

test.each(PLAY_NAMES)('%s: every operation is described with its answers, and every reference leads somewhere', async play => {
  const { url } = await startService({ play })
  const { status, body } = await send(`${url}/openapi.json`)
  expect([status, body.openapi, body.servers]).toEqual([200, '3.1.0', [{ url }]])
  const { operations } = PLAYS[play] as Play
  const rows = Object.entries(OPERATIONS) as [OperationName, Operation][]
  const offered = rows.filter(([name]) => operations?.has(name) ?? true)
  expect(Object.values(body.paths).flatMap(one => Object.keys(one as object)).length).toBe(offered.length)
  for (const [name, operation] of offered) {
    const described = body.paths[operation.path]?.[operation.method.toLowerCase()]
    expect(described, name).toMatchObject({ operationId: name, summary: operation.summary })
    const statuses = [operation.success ?? 200, ...operation.errors, 401, 403, 429, 431].map(String)
    expect(Object.keys(described.responses), name).toEqual(expect.arrayContaining([...statuses, 'default']))
    expect(Object.hasOwn(described.responses, '413'), name).toBe(operation.request !== null)
    expect(described.parameters.filter((one: { in: string }) => one.in === 'path').length).toBe(
      operation.path.split('{').length - 1,
    )
  }
  const text = JSON.stringify(body)
  const used = [...text.matchAll(/#\/components\/(\w+\/\w+)/g)].map(([, id = '']) => id)
  const { schemas, responses } = body.components
  const present = [...Object.keys(schemas).map(id => `schemas/${id}`), ...Object.keys(responses).map(id => `responses/${id}`)]
  expect([...new Set(used)].sort()).toEqual(present.sort())
  expect(text).not.toMatch(/"(?:\$id|\$schema|\$defs|written|isNullWritten|anyOf|oneOf|allOf)"/)
  // To Java a record that says it has further keys is a map without names.
  expect(text).not.toMatch(/"properties":\{"[^}]*\},"additionalProperties":true/)
  const tags = Object.values(body.paths as Record<string, Record<string, { tags: string[] }>>).flatMap(one =>
    Object.values(one).flatMap(operation => operation.tags),
  )
  expect(body.tags.map((tag: { name: string }) => tag.name).sort()).toEqual([...new Set(tags)].sort())
})

test('parameters and bodies have the types that the service takes', async () => {
  const { paths, components } = (await send(`${(await startService()).url}/openapi.json`)).body
  const parameter = (path: string, name: string) =>
    paths[path].get.parameters.find((one: { name: string }) => one.name === name).schema
  expect(parameter('/companies/match', 'matchThreshold')).toMatchObject({ type: 'integer', minimum: 893, maximum: 999 })
  expect(parameter('/companies', 'page')).toMatchObject({ type: 'integer', format: 'int32', default: 1 })
  expect(parameter('/companies', 'exact')).toEqual({ type: 'boolean' })
  expect(parameter('/companies', 'status').enum).toContain('NonActive')
  expect(parameter('/companies', 'phoneNo')).toMatchObject({ type: 'array', items: { type: 'string' } })
  expect(parameter('/monitoring/notificationEvents', 'filterByCreatedDate')).toEqual({ type: 'boolean', default: false })
  expect(parameter('/monitoring/notificationEvents', 'startDate')).toEqual({ type: 'string', format: 'date-time' })
  for (const path of ['/companies', '/people']) {
    expect(parameter(path, 'countries')).toEqual({ $ref: '#/components/schemas/CountryCodes' })
  }
  expect(parameter('/companies/schema/{countryCode}', 'countryCode')).toEqual({ $ref: '#/components/schemas/CountryCode' })
  const { schemas } = components
  const isList = new RegExp(schemas.CountryCodes.pattern)
  expect(['GB', 'GB,DE,PLC', 'AA', 'GB,', ''].filter(codes => isList.test(codes))).toEqual(['GB', 'GB,DE,PLC'])
  const hits = '/compliance/kyc-protect/searches/businesses/{searchId}/hits'
  expect(parameter(hits, 'hitDecisions').pattern).toContain('falsePositive')
  expect(schemas.Datasets).toMatchObject({
    minItems: 1,
    contains: { enum: expect.arrayContaining(['SAN']) },
  })
  const upload = paths['/dataCleaning/jobs/{id}/upload'].post.requestBody.content['multipart/form-data'].schema
  expect(upload).toMatchObject({ required: ['hasHeader', 'jobFile'] })
  expect(upload).not.toHaveProperty('additionalProperties')
  expect(schemas.CreateBusinessSearch.properties.threshold).toMatchObject({ type: 'integer', enum: [75, 80, 85, 90, 95, 100] })
  expect(schemas.CreateBusinessSearch.properties.countryCodes.type).toEqual(['array', 'null'])
  expect(schemas.BusinessSearch.properties).toMatchObject({
    note: { type: ['string', 'null'] },
    id: { type: 'string', format: 'uuid' },
  })
  expect(schemas.NotificationEvent.properties.processedDate.type).toEqual(['string', 'null'])
  expect(schemas.FoundCompany.properties.vatNo.type).toBe('array')
  expect(Object.keys(paths['/companies/{id}'].get.responses)).toContain('302')
  expect(Object.keys(paths['/companies/{id}'].get.responses[200].content)).toEqual(['application/json', 'application/json+pdf'])
})

test('the description is of the play that is served', async () => {
  const schemasIn = async (play: PlayName) =>
    (await send(`${(await startService({ play })).url}/openapi.json`)).body.components.schemas
  const [own, vendor, seed] = await Promise.all(PLAY_NAMES.map(schemasIn))
  const nullable = ['string', 'null']
  expect([own, vendor, seed].map(one => one.Job.properties.countryCode.type)).toEqual(['string', nullable, nullable])
  expect([own, vendor, seed].map(one => one.JobSummary.type)).toEqual(['object', ['object', 'null'], ['object', 'null']])
  expect([own, vendor, seed].map(one => one.Job.properties.source.enum)).toEqual([
    ['dataCleaning'],
    ['dataCleaning'],
    ['prospects'],
  ])
  expect([own, vendor, seed].map(one => one.Job.properties.createdAt.format)).toEqual([undefined, undefined, 'date-time'])
  expect([own, vendor, seed].map(one => one.FoundCompany.properties.safeNo.pattern)).toEqual(
    ['15', '8', '8'].map(digits => `^[A-Z]{2}\\d{${digits}}$`),
  )
  expect([Object.hasOwn(own, 'EnrichmentTag'), Object.hasOwn(seed, 'EnrichmentTag')]).toEqual([true, false])
})

test('the page shows every operation, sends no request and runs no script', async () => {
  const { url } = await startService()
  const { body, headers } = await send(`${originOf(url)}/docs`)
  for (const [name, { path }] of Object.entries(OPERATIONS)) {
    expect(body).toContain(`id="${name.toLowerCase()}"`)
    expect(body).toContain(path)
  }
  expect(body).not.toMatch(/<script|\bsrc=|@import|url\(|href="(?!#|v1\/openapi\.json)/)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  expect((await send(`${originOf(url)}/docs`, 'POST')).status).toBe(405)
})

test('a generated client runs a job without an edit by hand', async () => {
  const folder = await temporaryFolder()
  const spec = (await send(`${(await startService()).url}/openapi.json`)).body
  const { files } = await generateApi({ spec, output: false, silent: true, httpClientType: 'fetch', singleHttpClient: false })
  const [file] = files
  const { outputText, diagnostics } = ts.transpileModule(file!.fileContent, {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  expect(diagnostics).toEqual([])
  await writeFile(join(folder, 'client.mjs'), outputText)
  const { Api } = await import(pathToFileURL(join(folder, 'client.mjs')).href)

  // Another one: its connections have not been idle while the client was made.
  const service = await startService()
  const { username, password } = service
  const open = new Api({ baseUrl: service.url })
  const { token } = (await open.authenticate.authenticate({ username, password })).data
  const { dataCleaning } = new Api({ baseUrl: service.url, baseApiParams: { headers: { Authorization: `Bearer ${token}` } } })
  const job = (await dataCleaning.createJob({ name: 'generated' })).data
  await dataCleaning.upload(job.id, { hasHeader: true, jobFile: new File(['name\nAcme Ltd\n'], 'a.csv') })
  await dataCleaning.setMappings(job.id, { mappings: [{ mapping: 'name', value: '0' }] })
  await dataCleaning.submit(job.id, {})
  const reach = async (status: string): Promise<void> => {
    await expect
      .poll(async () => (await dataCleaning.readJob(job.id)).data.status, { timeout: 20_000, interval: 50 })
      .toBe(status)
  }
  await reach('jobMatchingComplete')
  await dataCleaning.setEnrichments(job.id, { enrichments: [{ enrichment: 'general.connectId' }] })
  await dataCleaning.enrich(job.id, {})
  await reach('enrichmentComplete')
  const { filePath } = (await dataCleaning.enrichedFile(job.id, { fileType: 'csv' })).data
  expect(await (await fetch(filePath)).text()).toMatch(/^name,general\.connectId,.*\nAcme Ltd,/)
  await expect(dataCleaning.readJob('none')).rejects.toMatchObject({ status: 404, error: { message: 'Job not found' } })
})
