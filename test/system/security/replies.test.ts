/** S21: a reply may contain any key and any depth; it changes no other object and causes no crash. */
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../src/client/index.ts'
import { clientOf, errorOf, JOBS, job, LOGIN, serveScript } from '../../unit/client/kit.ts'

const POISON = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x","hasOwnProperty":0'
const look = async (): Promise<undefined> => undefined

const READERS: readonly (readonly [string, string, (client: Client) => Promise<unknown>])[] = [
  ['readJob', `GET ${JOBS}/7`, client => client.readJob('7')],
  ['createJob', `POST ${JOBS}`, client => client.createJob('run-1', { key: 'k', look })],
  ['submit', `POST ${JOBS}/7/submit`, client => client.submit('7', { key: 'k', look })],
  ['archive', `POST ${JOBS}/7/archive`, client => client.archive('7')],
  ['enrichedFile', `GET ${JOBS}/7/enrichedFile`, client => client.enrichedFile('7')],
]

const whole = JSON.stringify(job('7', { jobSummary: { totalRows: 1 }, messageId: 'm', filePath: '/f' })).slice(1, -1)

describe.each(READERS)('%s', (_, route, act) => {
  test('keys that would change every object', async () => {
    const deep = `"jobSummary":{${POISON}},"other":{"deep":[{${POISON}}]}`
    const server = await serveScript({ [route]: [{ text: `{${whole},${POISON},${deep}}` }] })
    const reply = await act(clientOf(server)).catch((error: Error & { code?: string }) => error.code)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.keys(Object.prototype)).toEqual([])
    for (const object of [reply, (reply as Record<string, unknown> | null)?.jobSummary])
      if (typeof object === 'object' && object !== null) {
        expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
        expect((object as Record<string, unknown>).polluted).toBeUndefined()
        expect(Object.hasOwn(object, '__proto__')).toBe(false)
      }
  })

  test.each([
    ['a hundred thousand levels of lists', `{${whole},"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a hundred thousand levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['two hundred thousand empty lists', `{${whole},"wide":[${'[],'.repeat(200_000)}[]]}`],
    ['one key a hundred thousand times', `{${whole},${'"a":1,'.repeat(100_000)}"b":2}`],
    ['more than 8 MiB', `{${whole},"long":"${'x'.repeat(9 * 1024 * 1024)}"}`],
  ])('%s', async (__, text) => {
    const server = await serveScript({ [route]: [{ text }] })
    const client = clientOf(server, { attempts: 1 })
    const before = performance.now()
    const ended = await act(client).then(
      reply => JSON.stringify(reply).length,
      (error: Error & { code?: string }) => error.code,
    )
    if (typeof ended === 'string') expect(ended).toMatch(/^FETTLE_(?:CONTRACT|UNANSWERED|NETWORK)$/)
    else expect(ended).toBeGreaterThan(1)
    expect(performance.now() - before).toBeLessThan(5_000)
  })
})

test('a login answer is read the same way', async () => {
  const server = await serveScript({ [LOGIN]: [{ text: `{"token":"t",${POISON}}` }], [`GET ${JOBS}/7`]: [{ json: job('7') }] })
  await clientOf(server).readJob('7')
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  const deep = await serveScript({ [LOGIN]: [{ text: '['.repeat(200_000) }] })
  expect((await errorOf(clientOf(deep, { attempts: 1 }).authenticate())).code).toMatch(/^FETTLE_/)
})
