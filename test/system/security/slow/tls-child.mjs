/**
 * One process that trusts the authority of NODE_EXTRA_CA_CERTS: it asks each address it is given, by the way it is given, and
 * prints how that ended. Lines in, lines out, both JSON.
 */
import { createInterface } from 'node:readline'
import { realClock } from '../../../../build/client/clock.js'
import { createObjects } from '../../../../build/client/storage/objects.js'
import { httpLineage } from '../../../../build/observe/lineage.js'
import { connect } from '../../../../dist/client/index.js'

const CANARY = process.env.CANARY
const common = proxy => ({
  clock: realClock,
  attempts: 4,
  proxies: { https: proxy, http: proxy, except: [], loopback: true },
})
const bytes = Buffer.from('a,b\n')

const WAYS = {
  async service(url, proxy) {
    const client = connect({ ...common(proxy), url: `${url}/v1`, username: CANARY, password: CANARY })
    try {
      await client.readJob('1')
    } finally {
      await client.close()
    }
  },
  async read(url, proxy) {
    const objects = createObjects({ ...common(proxy), s3: settings(url) })
    for await (const _ of objects.read({ kind: 'https', url: `${url}/a.csv?sig=${CANARY}`, shown: `${url}/a.csv?***` }));
    await objects.close()
  },
  async write(url, proxy) {
    const objects = createObjects({ ...common(proxy), s3: settings(url) })
    await objects.write({ kind: 'https', url: `${url}/a.csv?sig=${CANARY}`, shown: `${url}/a.csv?***` }, outgoing())
    await objects.close()
  },
  async s3(url, proxy) {
    const objects = createObjects({ ...common(proxy), s3: settings(url) })
    for await (const _ of objects.read({ kind: 's3', bucket: 'b', key: 'k', shown: 's3://b/k' }));
    await objects.close()
  },
  async s3write(url, proxy) {
    const objects = createObjects({ ...common(proxy), s3: settings(url) })
    await objects.write({ kind: 's3', bucket: 'b', key: 'k', shown: 's3://b/k' }, outgoing())
    await objects.close()
  },
  async lineage(url) {
    const reporter = httpLineage({ url: new URL(`${url}/api/v1/lineage`), apiKey: CANARY }, {})
    try {
      await reporter.onLineageEvent({ eventType: 'START' })
    } finally {
      await reporter.onRunEnd()
    }
  },
}

const settings = endpoint => () => ({
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: CANARY,
  sessionToken: CANARY,
  endpoint,
})
const outgoing = () => ({
  bytes: bytes.length,
  sha256: '0'.repeat(64),
  type: 'text/csv',
  async *open() {
    yield bytes
  },
})

for await (const line of createInterface({ input: process.stdin })) {
  const { way, url, proxy } = JSON.parse(line)
  const began = Date.now()
  let ended = { code: 'none', message: '', hint: '' }
  try {
    await WAYS[way](url, proxy ?? null)
  } catch (error) {
    ended = { code: error.code ?? error.name, message: error.message, hint: error.hint ?? '' }
  }
  process.stdout.write(`${JSON.stringify({ ...ended, ms: Date.now() - began })}\n`)
}
