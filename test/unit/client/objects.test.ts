/**
 * Remote objects on real servers on loopback: bodies cut anywhere, tags that change, servers that fail and return, and an S3 store that
 * checks signatures and joins parts.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createObjects, type ObjectPlace } from '../../../src/client/storage/objects.ts'
import type { S3Settings } from '../../../src/client/storage/s3.ts'
import { runs } from '../../support/runs.ts'
import { type Answer, createVirtualClock, reset, serveScript } from './kit.ts'
import { hasS3, serveS3 } from './s3-server.ts'

const ROWS = Buffer.from(`name\n${Array.from({ length: 4000 }, (_, n) => `Company ${n}`).join('\n')}\n`)
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

function open(settings?: S3Settings) {
  const clock = createVirtualClock()
  const notes: string[] = []
  const objects = createObjects({
    clock,
    attempts: 4,
    onRetry: text => notes.push(text),
    s3: () => {
      if (settings === undefined) throw new Error('S3 was asked')
      return settings
    },
  })
  onTestFinished(() => objects.close())
  return { objects, clock, notes }
}

const plain = (url: string): ObjectPlace => ({ kind: 'https', url, shown: url.replace(/\?.*/, '?***') })
const inS3 = (key: string, bucket = 'lists'): ObjectPlace => ({ kind: 's3', bucket, key, shown: `s3://${bucket}/${key}` })
const outgoing = (bytes: Buffer) => ({
  bytes: bytes.length,
  sha256: sha256(bytes),
  type: 'text/csv',
  open: () => Readable.from(pieces(bytes)),
})

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
}

async function all(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const piece of body) chunks.push(piece)
  return Buffer.concat(chunks)
}

/** Serves `bytes` as any file server does, and breaks off after `most` bytes of each answer. */
const served =
  (bytes: Buffer, { tag = '"v1"', most = Number.POSITIVE_INFINITY, ranges = true } = {}): Answer =>
  (request, response) => {
    const from = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
    const body = bytes.subarray(from)
    const headers: Record<string, string | number> = { 'content-length': body.length, ...(tag === '' ? {} : { etag: tag }) }
    if (from > 0) headers['content-range'] = `bytes ${from}-${bytes.length - 1}/${bytes.length}`
    response.writeHead(from > 0 ? 206 : 200, headers)
    if (body.length <= most) response.end(body)
    else response.write(body.subarray(0, most), () => request.socket.destroy())
  }

describe('reading', () => {
  test('goes on where a body was cut, wherever that is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: ROWS.length }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (cuts, ranges) => {
          // Without ranges every answer is the whole again: it must get further than the one before.
          const most = ranges ? cuts : cuts.toSorted((a, b) => a - b)
          const answers = [...most.map(cut => served(ROWS, { most: cut, ranges })), served(ROWS, { ranges })]
          const server = await serveScript({ 'GET /a.csv': answers })
          const { objects } = open()
          expect(sha256(await all(objects.read(plain(`${server.origin}/a.csv`))))).toBe(sha256(ROWS))
          const asked = server.of('GET /a.csv')
          expect(asked.slice(1).every(one => one.headers['if-match'] === '"v1"' && one.headers.range !== undefined)).toBe(true)
        },
      ),
      { numRuns: runs(8, 25) },
    )
  })

  test.each<[string, Answer[]]>([
    ['another tag', [served(ROWS, { most: 1000 }), served(ROWS, { tag: '"v2"' })]],
    ['a 412', [served(ROWS, { most: 1000 }), { status: 412 }]],
    ['another length', [served(ROWS, { most: 1000 }), served(ROWS.subarray(0, 9000))]],
  ])('refuses an object that becomes another one on the way: %s', async (_, answers) => {
    const server = await serveScript({ 'GET /a.csv': answers })
    await expect(all(open().objects.read(plain(`${server.origin}/a.csv`)))).rejects.toMatchObject({
      code: 'FETTLE_INPUT_CHANGED',
    })
  })

  test.each<[string, string]>([
    ['no tag', ''],
    ['a weak tag', 'W/"v1"'],
  ])('does not go on by %s', async (_, tag) => {
    const server = await serveScript({ 'GET /a.csv': [served(ROWS, { tag, most: 1000 })] })
    await expect(all(open().objects.read(plain(`${server.origin}/a.csv`)))).rejects.toMatchObject({
      code: 'FETTLE_DOWNLOAD_CUT',
      exitCode: 75,
      message: expect.stringMatching(/after 1000 of \d+ bytes/),
    })
    expect(server.seen).toHaveLength(1)
  })

  test('ends when no attempt brings anything', async () => {
    const server = await serveScript({ 'GET /a.csv': [served(ROWS, { most: 1000 }), served(ROWS.subarray(0), { most: 0 })] })
    await expect(all(open().objects.read(plain(`${server.origin}/a.csv`)))).rejects.toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT' })
    expect(server.seen).toHaveLength(4)
  })

  test('rejects a body without a recognisable end', async () => {
    const server = await serveScript({
      'GET /a.csv': [request => request.socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${ROWS.subarray(0, 100)}`)],
    })
    await expect(all(open().objects.read(plain(`${server.origin}/a.csv`)))).rejects.toMatchObject({
      code: 'FETTLE_INPUT_READ',
      message: expect.stringContaining('does not send its length'),
    })
  })

  test('waits and asks again after 503, 429, 500 and a reset', async () => {
    const answers = [{ status: 503, headers: { 'retry-after': '7' } }, { status: 429 }, { status: 500 }, reset, served(ROWS)]
    const server = await serveScript({ 'GET /a.csv': answers })
    const { objects, clock, notes } = open()
    expect(await all(objects.read(plain(`${server.origin}/a.csv?sig=hidden`)))).toEqual(ROWS)
    expect(server.seen).toHaveLength(5)
    expect(clock.sleeps.length).toBeGreaterThan(0)
    expect(notes.join('\n')).not.toContain('hidden')
  })

  test.each<[number, string, number, RegExp]>([
    [401, 'FETTLE_INPUT_READ', 65, /presigned/],
    [403, 'FETTLE_INPUT_READ', 65, /create a new one/],
    [404, 'FETTLE_INPUT_READ', 65, /does not exist/],
    [405, 'FETTLE_INPUT_READ', 65, /GET/],
    [500, 'FETTLE_UNAVAILABLE', 75, /same command again/],
  ])('%i ends it with a hint, without the query', async (status, code, exitCode, hint) => {
    const server = await serveScript({ 'GET /a.csv': [{ status }] })
    const error = await all(open().objects.read(plain(`${server.origin}/a.csv?sig=hidden`))).catch(one => one)
    expect(error).toMatchObject({ code, exitCode, status, hint: expect.stringMatching(hint) })
    expect(error.message).toContain(`read the input ${server.origin}/a.csv?***: the server answered ${status}`)
    expect(JSON.stringify([error.message, error.hint])).not.toContain('hidden')
  })

  test('follows a redirect within its origin, and none to another machine by http or to a private address', async () => {
    const to = (location: string): Answer => ({ status: 302, headers: { location } })
    const server = await serveScript({
      'GET /a.csv': [to('/b.csv?x=1')],
      'GET /b.csv': [served(ROWS)],
      'GET /c.csv': [to('http://169.254.169.254/latest/meta-data')],
      'GET /d.csv': [to('https://10.0.0.1/a.csv?token=hidden')],
      'GET /e.csv': [to('/e.csv')],
    })
    const { objects } = open()
    expect(await all(objects.read(plain(`${server.origin}/a.csv`)))).toEqual(ROWS)
    for (const name of ['c', 'd', 'e']) {
      const error = await all(objects.read(plain(`${server.origin}/${name}.csv`))).catch(one => one)
      expect(error).toMatchObject({ code: 'FETTLE_INPUT_READ', message: expect.stringContaining('may not be followed') })
      expect(error.message).not.toContain('hidden')
    }
  })
})

describe('writing with PUT', () => {
  test('sends the file with its length, again after a failure', async () => {
    const server = await serveScript({ 'PUT /out.csv': [{ status: 503 }, reset, { status: 200 }] })
    await open().objects.write(plain(`${server.origin}/out.csv?sig=1`), outgoing(ROWS))
    const puts = server.of('PUT /out.csv')
    expect(puts.at(-1)).toMatchObject({ body: ROWS, headers: { 'content-length': String(ROWS.length) } })
    expect(puts.at(-1)?.query.get('sig')).toBe('1')
    expect(puts.at(-1)?.headers['transfer-encoding']).toBeUndefined()
  })

  test.each<[number, RegExp]>([
    [403, /create a new one/],
    [307, /./],
    [412, /./],
    [413, /./],
  ])('%i is a refusal of the output', async (status, hint) => {
    const server = await serveScript({ 'PUT /out.csv': [{ status, headers: { location: '/elsewhere' } }] })
    await expect(open().objects.write(plain(`${server.origin}/out.csv`), outgoing(ROWS))).rejects.toMatchObject({
      code: 'FETTLE_OUTPUT_WRITE',
      exitCode: 73,
      hint: expect.stringMatching(hint),
    })
    expect(server.seen).toHaveLength(1)
  })
})

describe.runIf(hasS3)('S3', () => {
  let store: Awaited<ReturnType<typeof serveS3>>
  beforeAll(async () => {
    store = await serveS3()
  })
  afterAll(() => store?.close())

  test.each<[string, number]>([
    ['one request', 300_000],
    ['several parts', 17 * 1024 * 1024 + 11],
  ])('gives back what was written in %s, signed', async (name, size) => {
    const bytes = Buffer.alloc(size, `${name} 0123456789`)
    const { objects } = open(store.settings)
    const place = inS3(`out/${name} ä+&=.csv`)
    await objects.checkWritable(place, true)
    await objects.write(place, outgoing(bytes))
    expect(sha256(await all(objects.read(place)))).toBe(sha256(bytes))
  })

  test('reports a wrong key with a hint and without the key', async () => {
    const { objects } = open({ ...store.settings, secretAccessKey: 'not-the-right-one' })
    for (const attempt of [() => all(objects.read(inS3('a.csv'))), () => objects.write(inS3('a.csv'), outgoing(ROWS))]) {
      const error = await attempt().catch(one => one)
      expect(error).toMatchObject({
        code: expect.stringMatching(/^FETTLE_(INPUT_READ|OUTPUT_WRITE)$/),
        message: expect.stringContaining('403: SignatureDoesNotMatch'),
        hint: expect.stringContaining('AWS_SECRET_ACCESS_KEY'),
      })
      expect(JSON.stringify(error)).not.toContain('not-the-right-one')
    }
  })

  test.each<[string, ObjectPlace, RegExp]>([
    ['an object', inS3('nowhere.csv'), /404: NoSuchKey/],
    ['a bucket', inS3('a.csv', 'no-such-bucket'), /404: NoSuchBucket/],
  ])('%s that is not there is told', async (_, place, why) => {
    const { objects } = open(store.settings)
    await expect(all(objects.read(place))).rejects.toMatchObject({
      code: 'FETTLE_INPUT_READ',
      message: expect.stringMatching(why),
    })
  })

  test('an existing object that is not a table is left alone', async () => {
    const { objects } = open(store.settings)
    await objects.write(inS3('backup.tar'), outgoing(ROWS))
    await expect(objects.checkWritable(inS3('backup.tar'), false)).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE' })
    await objects.checkWritable(inS3('another.tar'), false)
  })
})

describe('S3 that fails', () => {
  const BIG = Buffer.alloc(9 * 1024 * 1024, 'Company\n')
  const settings = (origin: string): S3Settings => ({
    region: 'eu-west-1',
    accessKeyId: 'A',
    secretAccessKey: 'a-secret',
    sessionToken: null,
    endpoint: origin,
  })
  const begun: Answer = { text: '<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>' }
  const part: Answer = { status: 200, headers: { etag: '"p"' } }
  const done: Answer = { text: '<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>' }
  const key = '/lists/out.csv'

  test('parts are sent again, each alone', async () => {
    const server = await serveScript({ [`POST ${key}`]: [begun, done], [`PUT ${key}`]: [{ status: 503 }, part] })
    await open(settings(server.origin)).objects.write(inS3('out.csv'), outgoing(BIG))
    expect(server.of(`PUT ${key}`)).toHaveLength(3)
    expect(server.of(`POST ${key}`)).toHaveLength(2)
    expect(server.of(`PUT ${key}`).every(one => /^AWS4-HMAC-SHA256 /.test(one.headers.authorization ?? ''))).toBe(true)
  })

  test('a part that cannot be sent ends the upload, which is given up there: there is no half object', async () => {
    const server = await serveScript({
      [`POST ${key}`]: [begun],
      [`PUT ${key}`]: [part, { status: 403, text: '<Error><Code>AccessDenied</Code></Error>' }],
      [`DELETE ${key}`]: [{ status: 204 }],
    })
    await expect(open(settings(server.origin)).objects.write(inS3('out.csv'), outgoing(BIG))).rejects.toMatchObject({
      code: 'FETTLE_OUTPUT_WRITE',
      message: expect.stringContaining('AccessDenied'),
    })
    expect(server.of(`DELETE ${key}`).map(one => one.query.get('uploadId'))).toEqual(['u1'])
    expect(server.of(`POST ${key}`)).toHaveLength(1)
  })

  test.each([
    ['is there', sha256(BIG), null],
    ['is of others', 'another', 'FETTLE_OUTPUT_WRITE'],
  ])('an end whose answer was lost is asked after: what %s', async (_, digest, code) => {
    const head = { 'content-length': String(BIG.length), 'x-amz-meta-sha256': digest }
    const server = await serveScript({
      [`POST ${key}`]: [begun, reset, { status: 404, text: '<Error><Code>NoSuchUpload</Code></Error>' }],
      [`PUT ${key}`]: [part],
      [`HEAD ${key}`]: [(_request, response) => void response.writeHead(200, head).end()],
      [`DELETE ${key}`]: [{ status: 204 }],
    })
    const error = await open(settings(server.origin))
      .objects.write(inS3('out.csv'), outgoing(BIG))
      .then(() => null)
      .catch(one => one.code)
    expect(error).toBe(code)
  })

  test('treats a 200 with an error in its body as an error', async () => {
    const failed: Answer = { text: '<Error><Code>InternalError</Code><Message>try again</Message></Error>' }
    const server = await serveScript({
      [`POST ${key}`]: [begun, failed],
      [`PUT ${key}`]: [part],
      [`HEAD ${key}`]: [{ status: 404 }],
      [`DELETE ${key}`]: [{ status: 204 }],
    })
    await expect(open(settings(server.origin)).objects.write(inS3('out.csv'), outgoing(BIG))).rejects.toMatchObject({
      code: 'FETTLE_UNAVAILABLE',
      message: expect.stringContaining('InternalError'),
    })
  })

  test('continues a cut body by range and tag', async () => {
    const server = await serveScript({ 'GET /lists/in.csv': [served(ROWS, { most: 3000 }), served(ROWS)] })
    expect(await all(open(settings(server.origin)).objects.read(inS3('in.csv')))).toEqual(ROWS)
    expect(server.seen[1]?.headers).toMatchObject({ range: 'bytes=3000-', 'if-match': '"v1"' })
  })
})
