/** A cassette as a killed recording leaves it, and what a replay answers to requests that were not recorded. */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCassette, serveReplay } from '../../../src/service/replay/server.ts'
import { temporaryFolder } from './kit.ts'

const HEAD = { cassette: 1, fettle: '0.1.0', at: 0, pipeline: {}, list: 'name\nA\n' }
const job = (status: string) => ({
  at: 1,
  operation: 'readJob',
  method: 'GET',
  path: '/dataCleaning/jobs/{id}',
  params: { id: '7' },
  status: 200,
  headers: { 'content-type': 'application/json' },
  answer: { json: { id: '7', name: 'a', status } },
})

test('a cassette with half a line is read, and continued', async () => {
  const path = join(await temporaryFolder(), 'case.jsonl')
  writeFileSync(path, `${[HEAD, job('matching')].map(one => JSON.stringify(one)).join('\n')}\n{"at":2,"opera`)
  expect(await openCassette(path)).toMatchObject({ head: HEAD, exchanges: 1, damaged: 1 })
  appendFileSync(path, `\n${JSON.stringify(job('matched'))}\n`)
  expect(await openCassette(path)).toMatchObject({ exchanges: 2, damaged: 1 })
  // JSON, but no exchange.
  appendFileSync(path, 'null\n7\n{}\n')
  expect(await openCassette(path)).toMatchObject({ exchanges: 2, damaged: 4 })
})

test('answers come in recorded order, the last one again, and others are refused by name', async () => {
  const path = join(await temporaryFolder(), 'case.jsonl')
  writeFileSync(path, [HEAD, job('matching'), job('matched')].map(one => `${JSON.stringify(one)}\n`).join(''))
  const unknown: string[] = []
  await using replay = await serveReplay(await openCassette(path), { onUnknown: request => void unknown.push(request) })
  const ask = async (at: string) => {
    const reply = await fetch(`${replay.url}${at}`)
    return [reply.status, ((await reply.json()) as { status?: string; message?: string }).status ?? null]
  }
  const states = [await ask('/dataCleaning/jobs/7'), await ask('/dataCleaning/jobs/7'), await ask('/dataCleaning/jobs/7')]
  expect(states).toEqual([
    [200, 'matching'],
    [200, 'matched'],
    [200, 'matched'],
  ])
  expect((await ask('/dataCleaning/jobs/8'))[0]).toBe(501)
  expect((await ask('/nothing'))[0]).toBe(404)
  expect(unknown[0]).toMatch(/^readJob \(GET \/dataCleaning\/jobs\/\{id\}\): /)
})

test('a file that is not a cassette is refused', async () => {
  const path = join(await temporaryFolder(), 'case.jsonl')
  await expect(openCassette(path)).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
  for (const text of ['', 'name\nA\n', JSON.stringify({ ...HEAD, cassette: 2 })]) {
    writeFileSync(path, text)
    await expect(openCassette(path)).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
  }
})
