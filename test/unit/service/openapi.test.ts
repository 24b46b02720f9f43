/** The description of the interface, and a client that a stranger's generator makes of it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generateApi } from 'swagger-typescript-api'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { OPERATIONS, type Operation } from '../../../src/contract/index.ts'
import { send, startService, temporaryFolder } from './kit.ts'

const originOf = (url: string): string => new URL(url).origin

test('every operation is described with its answers, and every reference leads somewhere', async () => {
  const { url } = await startService()
  const { status, body } = await send(`${url}/openapi.json`)
  expect([status, body.openapi, body.servers]).toEqual([200, '3.1.0', [{ url }]])
  for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
    const described = body.paths[operation.path]?.[operation.method.toLowerCase()]
    expect(described, name).toMatchObject({ operationId: name, summary: operation.summary })
    expect(Object.keys(described.responses).map(Number)).toEqual(
      [operation.success ?? 200, ...operation.errors].sort((a, b) => a - b),
    )
    expect(described.parameters.filter((one: { in: string }) => one.in === 'path').length).toBe(
      operation.path.split('{').length - 1,
    )
  }
  const text = JSON.stringify(body)
  for (const [, id = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) expect(body.components.schemas).toHaveProperty(id)
  expect(text).not.toMatch(/"(?:\$id|\$schema|\$defs)"/)
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
  const service = await startService()
  const folder = await temporaryFolder()
  const spec = (await send(`${service.url}/openapi.json`)).body
  const { files } = await generateApi({ spec, output: false, silent: true, httpClientType: 'fetch', singleHttpClient: false })
  const [file] = files
  const { outputText, diagnostics } = ts.transpileModule(file!.fileContent, {
    reportDiagnostics: true,
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  expect(diagnostics).toEqual([])
  await writeFile(join(folder, 'client.mjs'), outputText)
  const { Api } = await import(pathToFileURL(join(folder, 'client.mjs')).href)

  const { username, password } = service
  const open = new Api({ baseUrl: service.url })
  const { token } = (await open.authenticate.authenticate({ username, password })).data
  const { dataCleaning } = new Api({ baseUrl: service.url, baseApiParams: { headers: { Authorization: `Bearer ${token}` } } })
  const job = (await dataCleaning.createJob({ name: 'generated' })).data
  await dataCleaning.upload(job.id, { hasHeader: 'true', jobFile: new File(['name\nAcme Ltd\n'], 'a.csv') })
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
