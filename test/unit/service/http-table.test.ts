/** Every line of the table of bad requests (faults §4.4) has its cases, and every case is answered as it says. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { access } from './http/access.ts'
import { bodies } from './http/json.ts'
import { trouble } from './http/trouble.ts'
import { uploads } from './http/uploads.ts'
import { walk } from './http/walk.ts'
import { wire } from './http/wire.ts'
import { openWorld } from './http/world.ts'

const LINES = Array.from({ length: 37 }, (_, index) => `H${index + 1}` as const)
const CASES = [access, bodies, wire, uploads, walk, trouble].flat()

let world: Awaited<ReturnType<typeof openWorld>>
let inputs = 0
let right = 0

beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.afterCase())
afterAll(async () => {
  await world.close()
  console.log(`bad requests: ${LINES.length} lines, ${CASES.length} cases of ${inputs} inputs, ${right} cases right`)
})

test('every line has a case, and every case a line', () => {
  const found = new Set(CASES.map(one => one.line))
  expect(LINES.filter(line => !found.has(line))).toEqual([])
  expect([...found].filter(line => !LINES.includes(line as (typeof LINES)[number]))).toEqual([])
})

// In their order: the log is looked at when all have written to it.
describe('bad requests', { shuffle: false }, () => {
  describe.each(LINES)('%s', line => {
    const own = CASES.filter(one => one.line === line)
    test.each(own)(
      '$title',
      async ({ run }) => {
        const tried = await run(world)
        inputs += typeof tried === 'number' ? tried : 1
        right += 1
        // The corpus is some 1,300 requests.
      },
      120_000,
    )
  })

  test('the log has one JSON object per line, and no body, token, password or signature', () => {
    expect(world.log.length).toBeGreaterThan(300)
    for (const line of world.log) {
      expect(line).not.toMatch(/[\n\r]/)
      expect(JSON.parse(line)).toHaveProperty('correlationId')
    }
    const all = world.log.join('\n')
    const secrets = [
      world.ann.token,
      world.bob.token,
      'the password of',
      'signature=',
      'Acme',
      'nobody',
      '?',
      '/v1/dataCleaning/jobs/0',
    ]
    for (const secret of secrets) expect(all).not.toContain(secret)
  })
})
