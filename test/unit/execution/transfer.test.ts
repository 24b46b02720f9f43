/**
 * The upload arrives byte for byte: the source reuses its buffers, so a sender that kept one too long would send other bytes. Tested over
 * real sockets with a reader that stalls.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { connect } from '../../../src/client/index.ts'
import { inspect, openSource } from '../../../src/input/index.ts'
import { parsePipelineValue, planRun } from '../../../src/pipeline/index.ts'

let folder: string
let server: Server
let arrived: Buffer[]
let stallEvery: number

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-transfer-'))
  arrived = []
  server = createServer(async (request, response) => {
    const isUpload = request.url?.endsWith('/upload') === true
    let seen = 0
    for await (const chunk of request) {
      if (!isUpload) continue
      arrived.push(Buffer.from(chunk))
      seen += chunk.length
      if (stallEvery > 0 && seen > stallEvery) {
        seen = 0
        await wait(20)
      }
    }
    response.setHeader('content-type', 'application/json')
    response.end(isUpload ? '{"id":"f","status":"uploaded"}' : '{"token":"t"}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function send(content: Buffer): Promise<string> {
  const path = join(folder, 'in.csv')
  writeFileSync(path, content)
  const raw = { name: 'transfer', input: path, mappings: { name: 'name', country: 'country' } }
  const { pipeline } = parsePipelineValue(raw, { file: 'x', env: {}, vars: {}, run: { date: '2026-01-01' } })
  const { facts } = await inspect({ path, encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict', sheet: null })
  const { plan } = planRun(pipeline!, facts!, { file: 'x', limit: null, service: { kind: 'embedded' } })
  const upload = await openSource(plan!, folder).upload(0)
  const { port } = server.address() as AddressInfo
  const client = connect({ url: `http://127.0.0.1:${port}/v1`, username: 'u', password: 'p', clock: realClock })
  await client.upload('j', upload, { key: 'k', look: async () => undefined })
  await client.close()
  expect(upload.sha256()).toBe(facts?.sha256)
  const body = Buffer.concat(arrived)
  const start = body.indexOf('\r\n\r\n', body.indexOf('jobFile')) + 4
  return createHash('sha256')
    .update(body.subarray(start, start + content.length))
    .digest('hex')
}

test.each([0, 300_000, 3_000_000])(
  'the bytes of a 40 MB file arrive as they are when the reader stalls every %i bytes',
  async stall => {
    stallEvery = stall
    const lines = ['name,country']
    for (let row = 0; row < 10_000; row++) lines.push(`${randomBytes(2_000).toString('hex')},GB`)
    const content = Buffer.from(`${lines.join('\n')}\n`)
    expect(await send(content)).toBe(createHash('sha256').update(content).digest('hex'))
  },
)
