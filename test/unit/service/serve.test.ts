/** The service on real registers. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import { serve } from '../../../src/service/serve.ts'
import { logIn, send, temporaryFolder } from './kit.ts'

async function importNamed(registerDir: string, name: string, company: string): Promise<void> {
  const file = join(await temporaryFolder(), `${name}.csv`)
  await writeFile(file, `id,name,country,orgNumber\n1,${company},GB,0123456${name.length}\n`)
  await importRegister({ file, name, dir: registerDir, now: new Date(0), snapshotDate: '2026-01-31' })
}

test('all registers of the folder are opened, and health names them', async () => {
  const registerDir = await temporaryFolder()
  await importNamed(registerDir, 'one', 'NORTHGATE FASTENERS LIMITED')
  await importNamed(registerDir, 'three', 'HARBOUR BAKERY LIMITED')
  const service = await serve({ dataDir: await temporaryFolder(), registerDir })
  onTestFinished(() => service.close())
  const registers = ['one', 'three'].map(name => ({
    ...{ name, companies: 1, snapshotDate: '2026-01-31' },
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  }))
  expect(service.registers).toEqual(registers)
  const health = await send(new URL('/health', service.url).href)
  expect(health.body).toEqual({
    status: 'ok',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    uptimeSeconds: expect.any(Number),
    checks: { database: 'ok' },
    registers,
    pdf: true,
  })

  const caller = await logIn(service)
  const id = await caller.submitted('name\nHarbour Bakery Ltd\nNorthgate Fasteners\n((((a+)+)+)\n---\n')
  const { jobSummary } = (await caller.reach(id, 'jobMatchingComplete')).body
  expect(jobSummary.totalRows).toBe(4)
  expect(jobSummary.unmatched).toBeGreaterThanOrEqual(2)
})

test('without a register there is no service', async () => {
  const options = { dataDir: await temporaryFolder(), registerDir: await temporaryFolder() }
  await expect(serve(options)).rejects.toSatisfy(error => FettleError.is(error) && error.code === 'FETTLE_REGISTER_NONE')
})

test('a company of two registers is one answer with both ids, and a candidate names its register', async () => {
  const [registerDir, folder] = [await temporaryFolder(), await temporaryFolder()]
  for (const [name, rows] of [
    ['zoo', 'Z1,Northgate Fasteners Ltd,GB,01234567,\nZ2,Harbour Bakery Ltd,GB,,Hull\n'],
    ['art', 'A1,Northgate Fastening Limited,GB,1234567,\nA2,Harbour Bakery Limited,GB,,Leeds\n'],
  ] as const) {
    const file = join(folder, `${name}.csv`)
    await writeFile(file, `id,name,country,orgNumber,town\n${rows}`)
    await importRegister({ file, name, dir: registerDir, now: new Date(0) })
  }
  const service = await serve({ dataDir: await temporaryFolder(), registerDir, registers: ['zoo', 'art'] })
  onTestFinished(() => service.close())
  const caller = await logIn(service)
  const id = await caller.submitted('name\nNorthgate Fastening\nHarbour Bakery\n')
  await caller.reach(id, 'jobMatchingComplete')
  await caller.call('POST', `/dataCleaning/jobs/${id}/enrich`, {})
  await caller.reach(id, 'enrichmentComplete')
  const link = await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile?fileType=json`)
  const [one, two] = (await send(link.body.filePath)).body
  expect(one).toMatchObject({
    'match.outcome': 'matched',
    'general.connectId': 'GB-X-01234567',
    'match.register': 'zoo',
    'match.otherIds': 'art: GB-X-1234567',
  })
  expect(two).toMatchObject({ 'match.outcome': 'review', 'match.reason': 'ambiguous' })
  const candidates = JSON.parse(two['match.candidates']) as { fields: { register: string } }[]
  expect(candidates.map(({ fields }) => fields.register).sort()).toEqual(['art', 'zoo'])
})
