/** Every limit of the table acts where it should: one case each, at the limit and beyond it. */
import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { makePaces } from '../../../src/service/data-cleaning/processing/job-pace.ts'
import { LIMIT_TABLE, type LimitName, type Limits } from '../../../src/service/limits.ts'
import { type ChangeSource, UNCHANGING } from '../../../src/service/monitoring/changes.ts'
import { start } from '../../../src/service/server.ts'
import { eventually } from '../../support/eventually.ts'
import { engine } from './engine.ts'
import { HandClock, logIn, type Reply, send, startService, temporaryFolder } from './kit.ts'
import { limitsMarkdown } from './limits-table.ts'
import { loginDesk } from './login-desk.ts'
import { sendRaw } from './raw.ts'

const jobs = '/dataCleaning/jobs'
const json = { 'Content-Type': 'application/json' }

/** A service with these limits, a caller, and a clock that stands still unless it is left out. */
async function given(limits: Partial<Limits>, clock?: HandClock) {
  const dataDir = await temporaryFolder()
  const service = await startService({ dataDir, limits, ...(clock === undefined ? {} : { clock }) })
  return { service, dataDir, caller: await logIn(service) }
}

const login = (service: { url: string }, username: string, password: string): Promise<Reply> =>
  send(`${service.url}/authenticate`, 'POST', { username, password })

/** Resolves when the connection is gone, by an error or without one. */
const closed = (socket: Socket): Promise<void> => new Promise(resolve => socket.once('close', () => resolve()))

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Sends this and waits until the service ends the connection; gives what it said. */
async function untilClosed(url: string, text: string): Promise<string> {
  const socket = await open(url)
  let answer = ''
  socket.setEncoding('latin1').on('data', chunk => {
    answer += chunk
  })
  socket.write(text)
  await closed(socket)
  return answer
}

const head = (token: string, path: string, more: string): string =>
  `POST /v1${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${token}\r\n${more}\r\n\r\n`
const multipart = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000'
const health = (more = ''): string => `GET /health HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`

/** Uploads these form fields and this file. */
function uploading(file: string, filename = 'a.csv', ...fields: [string, string][]): FormData {
  const form = new FormData()
  form.append('hasHeader', 'true')
  for (const [name, value] of fields) form.append(name, value)
  form.append('jobFile', new Blob([file]), filename)
  return form
}

/** How an upload of this form to a fresh job is answered. */
async function uploadWith(limits: Partial<Limits>, form: FormData): Promise<Reply> {
  const { caller } = await given(limits)
  return caller.call('POST', `${jobs}/${await caller.create()}/upload`, form)
}

/** How an import of this file into a fresh portfolio is answered. */
async function importWith(limits: Partial<Limits>, csv: string): Promise<Reply> {
  const { caller } = await given(limits)
  const { portfolioId } = (await caller.call('POST', '/monitoring/portfolios', { name: 'one' })).body
  const form = new FormData()
  form.append('importcsv', new Blob([csv]), 'portfolio.csv')
  return caller.call('POST', `/monitoring/portfolios/${portfolioId}/import`, form)
}

/** The error of a job with this file. */
async function faultOf(limits: Partial<Limits>, csv: string): Promise<string> {
  const { caller } = await given(limits)
  const id = await caller.submitted(csv)
  for (;;) {
    const { status, details } = (await caller.call('GET', `${jobs}/${id}`)).body
    if (status === 'transformFileError') return details
    if (status === 'jobMatchingComplete') return ''
    await setImmediate()
  }
}

/** A body that stops on the way, and time that passes: what the connection is told. */
async function late(limits: Partial<Limits>, path: (id: string) => string, headers: string, ms: number): Promise<string> {
  const clock = new HandClock()
  const { service, caller } = await given({ ...limits, checkMs: 1 }, clock)
  const id = await caller.create()
  const socket = await open(service.url)
  let answer = ''
  socket.setEncoding('latin1').on('data', chunk => {
    answer += chunk
  })
  // It is asked to go on: so the service knows of the request.
  socket.write(head(caller.token, path(id), `${headers}\r\nExpect: 100-continue`))
  await once(socket, 'data')
  if (path(id).endsWith('upload')) await caller.reach(id, 'uploading')
  clock.move(ms - 1)
  expect((await caller.call('GET', `${jobs}/${id}`)).status).toBe(200)
  expect(socket.readyState).toBe('open')
  clock.move(1)
  await closed(socket)
  return answer.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
}

/** Asks the reconciliation interface of a service with these limits; a body is a form. */
async function reconciling(limits: Partial<Limits>): Promise<(query: string, form?: string) => Promise<Reply>> {
  const { url } = await startService({ limits, reconcile: true })
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return (query, form) =>
    send(new URL(`/reconcile${query}`, url).href, form === undefined ? 'GET' : 'POST', form, form === undefined ? {} : type)
}

/** Uploads of one user on their way at once count together, whether or not they announce their length. */
async function arrivingTogether(): Promise<void> {
  const limits = { userUploadBytes: 1_000_000 }
  const { service, caller, dataDir } = await given(limits)
  const begin = '--b\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\n\r\n'
  const end = '\r\n--b\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n--b--\r\n'
  const type = 'Content-Type: multipart/form-data; boundary=b'
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
  /** An upload that has sent this much and waits; its answer so far is `said`. */
  const half = async (id: string, bytes: number, announced: number | null) => {
    const framing = announced === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`
    const socket = await open(service.url)
    const upload = { socket, said: '' }
    socket.setEncoding('latin1').on('data', text => {
      upload.said += text
    })
    const body = begin + 'x'.repeat(bytes)
    socket.write(head(caller.token, `${jobs}/${id}/upload`, `${type}\r\n${framing}`) + (announced === null ? chunk(body) : body))
    return upload
  }
  const bytesOnDisk = async (): Promise<number> => {
    const names = await readdir(join(dataDir, 'uploads'))
    const sizes = await Promise.all(names.map(name => stat(join(dataDir, 'uploads', name)).then(({ size }) => size)))
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  const first = await caller.create()
  const one = await half(first, 600_000, null)
  await eventually(async () => expect(await bytesOnDisk()).toBeGreaterThan(500_000))
  // Announced: refused before it is read. Not announced: as soon as it is too much.
  for (const announced of [600_000, null]) {
    const id = await caller.create()
    const other = await half(id, 500_000, announced)
    await closed(other.socket)
    expect(other.said, String(announced)).toMatch(/^HTTP\/1\.1 507 [\s\S]*uploads in progress included/)
    expect((await caller.call('GET', `${jobs}/${id}`)).body.status).toBe(announced === null ? 'uploadError' : 'created')
    expect(await bytesOnDisk()).toBeLessThanOrEqual(600_000)
  }
  one.socket.write(`${chunk(end)}0\r\n\r\n`)
  await caller.reach(first, 'uploaded')
  expect(await bytesOnDisk()).toBe(600_000)
  expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(1)

  // In place of its own file there is room; for two such files at a time there is not.
  const second = await caller.create()
  expect((await caller.upload(second, 'x'.repeat(400_000))).status).toBe(200)
  const again = await half(first, 590_000, null)
  await eventually(async () => expect(await bytesOnDisk()).toBeGreaterThan(1_500_000))
  const more = await half(second, 390_000, null)
  await closed(more.socket)
  expect(more.said).toMatch(/^HTTP\/1\.1 507 /)
  again.socket.write(`${chunk(end)}0\r\n\r\n`)
  await eventually(() => expect(again.said).toMatch(/^HTTP\/1\.1 200 /))
  await eventually(async () => expect(await bytesOnDisk()).toBe(990_000))
}

const CASES: Readonly<Record<LimitName, () => Promise<void>>> = {
  async connections() {
    const service = await startService({ limits: { connections: 1 } })
    const first = await open(service.url)
    await untilClosed(service.url, '')
    first.write(health('Connection: close\r\n'))
    expect(String((await once(first, 'data'))[0])).toMatch(/ 200 /)
  },
  async requestsPerSocket() {
    const service = await startService({ limits: { requestsPerSocket: 2 } })
    const answers = [...(await untilClosed(service.url, health().repeat(3))).matchAll(/HTTP\/1\.1 (\d+)/g)].map(one => one[1])
    expect(answers).toEqual(['200', '200', '503'])
  },
  async keepAliveMs() {
    const service = await startService({ limits: { keepAliveMs: 1_010 } })
    expect(await untilClosed(service.url, health())).toMatch(/ 200 /)
  },
  async headersMs() {
    const service = await startService({ limits: { headersMs: 50, checkMs: 10 } })
    expect(await untilClosed(service.url, 'GET /health HTTP/1.1\r\nHost: loc')).toMatch(/^HTTP\/1\.1 408 /)
  },
  async jsonMs() {
    const length = `Content-Type: application/json\r\nContent-Length: 9`
    expect(await late({ jsonMs: 5_000 }, () => jobs, length, 5_000)).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i)
  },
  async uploadMs() {
    const answer = await late({ uploadMs: 5_000 }, id => `${jobs}/${id}/upload`, multipart, 5_000)
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i)
  },
  async idleMs() {
    const { service, caller } = await given({ idleMs: 1_500 })
    const id = await caller.create()
    expect(await untilClosed(service.url, head(caller.token, `${jobs}/${id}/upload`, multipart))).toBe('')
  },
  async rateMs() {
    expect(await late({ rateMs: 5_000 }, id => `${jobs}/${id}/upload`, multipart, 5_000)).toBe('')
  },
  async rateBytes() {
    const clock = new HandClock()
    const { service, caller } = await given({ rateMs: 5_000, rateBytes: 100, checkMs: 1 }, clock)
    const id = await caller.create()
    const socket = await open(service.url)
    socket.write(head(caller.token, `${jobs}/${id}/upload`, multipart))
    await caller.reach(id, 'uploading')
    for (let n = 0; n < 5; n++) {
      socket.write('x'.repeat(100))
      // Until the bytes have arrived the watch would not know of them.
      for (let turn = 0; turn < 20; turn++) await caller.call('GET', jobs)
      clock.move(4_000)
      await setImmediate()
    }
    expect((await caller.call('GET', `${jobs}/${id}`)).body.status).toBe('uploading')
    clock.move(5_000)
    await closed(socket.resume())
  },
  async checkMs() {
    const clock = new HandClock()
    const { service, caller } = await given({ jsonMs: 10, checkMs: 5_000 }, clock)
    const socket = await open(service.url)
    socket.write(head(caller.token, jobs, 'Content-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue'))
    await once(socket, 'data')
    clock.move(4_999)
    await caller.call('GET', jobs)
    expect(socket.readyState).toBe('open')
    clock.move(1)
    await closed(socket.resume())
  },
  async closeMs() {
    const service = await startService({ limits: { closeMs: 50 } })
    const caller = await logIn(service)
    const id = await caller.create()
    const socket = await open(service.url)
    socket.write(head(caller.token, `${jobs}/${id}/upload`, multipart))
    await caller.reach(id, 'uploading')
    await service.close()
    if (!socket.destroyed) await closed(socket.resume())
  },
  async headerBytes() {
    const service = await startService({ limits: { headerBytes: 2_000 } })
    const answer = (size: number) => sendRaw(service.url, health(`A: ${'x'.repeat(size)}\r\nConnection: close\r\n`))
    expect([await answer(1_800), await answer(2_100)]).toEqual([expect.stringMatching(/ 200 /), expect.stringMatching(/ 431 /)])
  },
  async headers() {
    const service = await startService({ limits: { headers: 4 } })
    const answer = (count: number) => sendRaw(service.url, health(`${'A: b\r\n'.repeat(count - 2)}Connection: close\r\n`))
    expect([await answer(4), await answer(5)]).toEqual([expect.stringMatching(/ 200 /), expect.stringMatching(/ 431 /)])
  },
  async loginBytes() {
    const { service } = await given({ loginBytes: 200 })
    expect((await login(service, 'a', 'x'.repeat(150))).status).toBe(401)
    expect((await login(service, 'a', 'x'.repeat(250))).status).toBe(413)
  },
  async jsonBytes() {
    const { caller } = await given({ jsonBytes: 100 })
    const pad = (length: number): string => '{"name":"a"}'.padEnd(length)
    expect((await caller.call('POST', jobs, pad(100), json)).status).toBe(200)
    expect((await caller.call('POST', jobs, pad(101), json)).status).toBe(413)
  },
  async restBytes() {
    const { service } = await given({ restBytes: 100 })
    const refused = (length: number) =>
      fetch(service.url + jobs, { method: 'POST', body: 'x'.repeat(length), headers: json }).then(one =>
        one.headers.get('connection'),
      )
    expect([await refused(100), await refused(101)]).toEqual(['keep-alive', 'close'])
  },
  async jsonDepth() {
    const { caller } = await given({ jsonDepth: 3 })
    const deep = (levels: number) => caller.call('POST', jobs, '['.repeat(levels) + ']'.repeat(levels), json)
    expect((await deep(3)).body.details).toMatch(/^body: Invalid/)
    expect((await deep(4)).body.details).toMatch(/nested deeper than 3/)
  },
  async uploadBytes() {
    const limits = { uploadBytes: 1_000 }
    expect((await uploadWith(limits, uploading('x'.repeat(1_000)))).status).toBe(200)
    expect((await uploadWith(limits, uploading('x'.repeat(1_001)))).status).toBe(413)
  },
  async uploadParts() {
    expect((await uploadWith({ uploadParts: 2 }, uploading('a'))).status).toBe(200)
    expect((await uploadWith({ uploadParts: 1 }, uploading('a'))).status).toBe(413)
  },
  async uploadFiles() {
    const twice = uploading('a')
    twice.append('jobFile', new Blob(['b']), 'b.csv')
    expect((await uploadWith({}, twice)).body.details).toBe('jobFile: occurs twice')
    twice.append('jobFile', new Blob(['c']), 'c.csv')
    expect((await uploadWith({ uploadFiles: 1 }, twice)).status).toBe(413)
    expect((await uploadWith({ uploadFiles: 2 }, twice)).body.details).toBe('jobFile: occurs twice')
  },
  async uploadFields() {
    expect((await uploadWith({ uploadFields: 1 }, uploading('a'))).status).toBe(200)
    expect((await uploadWith({ uploadFields: 1 }, uploading('a', 'a.csv', ['x', 'y']))).status).toBe(413)
  },
  async uploadFieldBytes() {
    const field = (length: number) => uploadWith({ uploadFieldBytes: 50 }, uploading('a', 'a.csv', ['x', 'y'.repeat(length)]))
    expect([(await field(50)).status, (await field(51)).status]).toEqual([200, 413])
  },
  async uploadEnvelopeBytes() {
    expect((await uploadWith({ uploadEnvelopeBytes: 1_000 }, uploading('a'.repeat(20_000)))).status).toBe(200)
    expect((await uploadWith({ uploadEnvelopeBytes: 100 }, uploading('a'))).status).toBe(413)
  },
  async fileNameLength() {
    expect((await uploadWith({ fileNameLength: 10 }, uploading('a', 'abcdefgh.csv'))).body.sourceFilename).toBe('abcdefgh.c')
  },
  async recordBytes() {
    expect(await faultOf({ recordBytes: 100 }, `name\n${'x'.repeat(80)}\n`)).toBe('')
    expect(await faultOf({ recordBytes: 100 }, `name\n${'x'.repeat(200)}\n`)).toMatch(/tolerated bytes of 100 at line 2/)
  },
  async columns() {
    expect(await faultOf({ columns: 2 }, 'name,b\nx,y\n')).toBe('')
    expect(await faultOf({ columns: 2 }, 'name,b,c\nx,y,z\n')).toBe('record 1: 3 columns; 2 are allowed')
  },
  async rows() {
    expect(await faultOf({ rows: 3 }, 'name\nx\ny\n')).toBe('')
    expect(await faultOf({ rows: 3 }, 'name\nx\ny\nz\n')).toBe('record 4: more than the 3 allowed records')
  },
  async userUploads() {
    const { caller, dataDir } = await given({ userUploads: 1 })
    const [first, second] = [await caller.create(), await caller.create()]
    expect((await caller.upload(first, 'a')).status).toBe(200)
    expect((await caller.upload(second, 'a')).status).toBe(507)
    // In place of its own file there is always room.
    expect((await caller.upload(first, 'b')).status).toBe(200)
    expect((await caller.call('GET', `${jobs}/${second}`)).body.status).toBe('created')
    expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(1)
  },
  async userUploadBytes() {
    const dataDir = await temporaryFolder()
    const limits = { userUploadBytes: 100 }
    const users = [
      { username: 'ann', password: 'a' },
      { username: 'bob', password: 'b' },
    ]
    const first = await startService({ dataDir, limits, users })
    const ann = await logIn(first)
    expect((await ann.upload(await ann.create(), 'x'.repeat(60))).status).toBe(200)
    await first.close()
    // Counted again from what is kept; and each user's own.
    const again = await startService({ dataDir, limits, users })
    const later = await logIn(again)
    expect((await later.upload(await later.create(), 'x'.repeat(41))).status).toBe(507)
    expect((await later.upload(await later.create(), 'x'.repeat(40))).status).toBe(200)
    const bob = await logIn({ ...again, username: 'bob', password: 'b' })
    expect((await bob.upload(await bob.create(), 'x'.repeat(100))).status).toBe(200)
    await eventually(async () => expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(3))
    await arrivingTogether()
  },
  async retentionMs() {
    const clock = new HandClock()
    const limits = { retentionMs: 60_000, retentionCheckMs: 1_000, tokenMs: 3_600_000 }
    const { caller, dataDir } = await given(limits, clock)
    const done = await caller.submitted('name\nAcme Ltd\n')
    await caller.reach(done, 'jobMatchingComplete')
    await caller.call('POST', `${jobs}/${done}/enrich`, {})
    await caller.reach(done, 'enrichmentComplete')
    const { filePath } = (await caller.call('GET', `${jobs}/${done}/enrichedFile`)).body
    expect((await caller.call('GET', `${jobs}/${done}/enrichedFile?fileType=json`)).status).toBe(200)
    const matched = await caller.submitted('name\nAcme Ltd\n')
    await caller.reach(matched, 'jobMatchingComplete')
    const waiting = await caller.create()
    await caller.upload(waiting, 'name\nAcme Ltd\n')
    const files = async (): Promise<number> =>
      (await readdir(join(dataDir, 'uploads'))).length + (await readdir(join(dataDir, 'files'))).length
    clock.move(59_000)
    await caller.call('GET', jobs)
    expect(await files()).toBe(3 + 4)
    clock.move(2_000)
    // What waits for its owner stays.
    await eventually(async () => expect(await files()).toBe(1))
    const job = (await caller.call('GET', `${jobs}/${done}`)).body
    expect([job.status, job.jobSummary.totalRows]).toEqual(['enrichmentComplete', 1])
    expect((await caller.call('GET', `${jobs}/${done}/enrichedFile`)).status).toBe(404)
    expect((await send(filePath)).status).toBe(404)
    expect((await caller.call('POST', `${jobs}/${matched}/enrich`, {})).body.details).toMatch(
      /^the files of this job were removed/,
    )
    expect((await caller.call('POST', `${jobs}/${waiting}/submit`, {})).status).toBe(400)
  },
  async retentionCheckMs() {
    const clock = new HandClock()
    const { caller, dataDir } = await given({ retentionMs: 1, retentionCheckMs: 5_000 }, clock)
    const id = await caller.submitted('name\nAcme Ltd\n')
    await caller.reach(id, 'jobMatchingComplete')
    clock.move(4_999)
    await caller.call('GET', jobs)
    expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(1)
    clock.move(1)
    await eventually(async () => expect(await readdir(join(dataDir, 'uploads'))).toHaveLength(0))
  },
  async importBytes() {
    const csv = `Safe Number\n${'x'.repeat(1_000)}\n`
    expect((await importWith({ importBytes: csv.length }, csv)).status).toBe(200)
    const refused = await importWith({ importBytes: csv.length - 1 }, csv)
    expect([refused.status, refused.body.details]).toEqual([413, expect.stringContaining('importcsv')])
  },
  async imports() {
    expect((await importWith({ imports: 0 }, 'Safe Number\na\n')).status).toBe(507)
  },
  async portfolios() {
    const { caller } = await given({ portfolios: 1 })
    const create = async () => (await caller.call('POST', '/monitoring/portfolios', { name: 'one' })).status
    expect([await create(), await create()]).toEqual([200, 507])
  },
  async treeVersions() {
    const { caller } = await given({ treeVersions: 1 })
    const change = async (name: string) => {
      const table = { rules: [{ name: 'a', when: { a: 'b' }, decision: 'accept' }], otherwise: 'refer' }
      const body = { templateId: 't', guid: 'one', decisionTreeName: name, configurationVariables: table }
      return (await caller.call('PUT', '/decisionEngine/instance/one', body)).status
    }
    expect([await change('one'), await change('one'), await change('two')]).toEqual([200, 200, 507])
  },
  async monitorMs() {
    const clock = new HandClock()
    let looks = 0
    const changes: ChangeSource = {
      after(applied) {
        looks += 1
        return UNCHANGING.after(applied)
      },
    }
    const options = { users: [], dataDir: await temporaryFolder(), clock, limits: { monitorMs: 5_000 } }
    const service = await start(options, engine, [], { changes })
    onTestFinished(() => service.close())
    const caller = await logIn(service)
    clock.move(4_999)
    await caller.call('GET', jobs)
    expect(looks).toBe(1)
    clock.move(1)
    await eventually(() => expect(looks).toBe(2))
  },
  async sameLogins() {
    const { service } = await given({ sameLogins: 2 }, new HandClock())
    const statuses = [1, 2, 3].map(() => login(service, 'nobody', 'x').then(reply => reply.status))
    expect((await Promise.all(statuses)).sort()).toEqual([401, 401, 429])
  },
  async badLogins() {
    const { service } = await given({ badLogins: 2 }, new HandClock())
    const statuses = ['x', 'y', 'z'].map(word => login(service, 'nobody', word).then(reply => reply.status))
    expect((await Promise.all(statuses)).sort()).toEqual([401, 401, 429])
    expect((await login(service, 'somebody', 'x')).status).toBe(401)
    expect((await login(service, service.username, service.password)).status).toBe(200)
  },
  async clientLogins() {
    const { service } = await given({ clientLogins: 2 }, new HandClock())
    const status = async (name: string, word: string) => (await login(service, name, word)).status
    expect([await status('a', 'x'), await status('a', 'y')]).toEqual([401, 401])
    expect([await status('a', 'z'), await status('b', 'x'), await status('b', 'y')]).toEqual([429, 401, 429])
    expect((await login(service, service.username, service.password)).status).toBe(200)
  },
  async sameLoginsMs() {
    const clock = new HandClock()
    const { service } = await given({ sameLogins: 1, sameLoginsMs: 5_000 }, clock)
    const status = async () => (await login(service, 'nobody', 'x')).status
    expect([await status(), await status()]).toEqual([401, 429])
    clock.move(5_000)
    expect(await status()).toBe(401)
  },
  async loginKeys() {
    const { service } = await given({ sameLogins: 1, loginKeys: 2 }, new HandClock())
    const status = async (name: string) => (await login(service, name, 'x')).status
    expect([await status('a'), await status('a'), await status('b'), await status('c')]).toEqual([401, 429, 401, 401])
    expect(await status('a')).toBe(401)
  },
  async loginsAtOnce() {
    const desk = loginDesk({ loginsAtOnce: 3 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await desk.send(name)
    expect(desk.atWork()).toEqual(['a', 'b', 'c'])
    await desk.next()
    expect(desk.atWork()).toEqual(['b', 'c', 'd'])
  },
  async loginsWaiting() {
    const desk = loginDesk({ loginsAtOnce: 1, loginsWaiting: 2 })
    for (const name of ['a', 'b', 'c', 'd', 'e']) await desk.send(name)
    expect([desk.atWork(), desk.with(429)]).toEqual([['a'], ['d', 'e']])
  },
  async clientLoginsWaiting() {
    const desk = loginDesk({ loginsAtOnce: 1, clientLoginsWaiting: 1 })
    for (const name of ['a', 'b', 'c', 'd']) await desk.send(name)
    await desk.send('e', { from: '127.0.0.2' })
    expect([desk.atWork(), desk.with(429)]).toEqual([['a'], ['c', 'd']])
  },
  async tokenMs() {
    const clock = new HandClock()
    const { caller } = await given({ tokenMs: 5_000 }, clock)
    clock.move(4_999)
    expect((await caller.call('GET', jobs)).status).toBe(200)
    clock.move(1)
    expect((await caller.call('GET', jobs)).status).toBe(401)
  },
  async searchCandidates() {
    const { caller } = await given({ searchCandidates: 1 })
    const one = await caller.call('GET', '/companies?countries=GB&postCode=LS1*')
    expect(one.body).toMatchObject({ totalSize: 1, messages: [{ type: 'Warning', code: 'TooManyResults' }] })
    const both = await (await given({ searchCandidates: 3 })).caller.call('GET', '/companies?countries=GB&postCode=LS1*')
    expect(both.body.totalSize).toBe(2)
  },
  async matchCompanies() {
    const asked: (number | undefined)[] = []
    const match: typeof engine.match = (query, most) => {
      asked.push(most)
      return engine.match(query)
    }
    const options = { users: [], dataDir: await temporaryFolder(), limits: { matchCompanies: 7 } }
    const service = await start(options, { ...engine, match }, [])
    onTestFinished(() => service.close())
    await (await logIn(service)).call('GET', '/companies/match?matchThreshold=893&country=GB&name=acme')
    expect(asked).toEqual([7])
  },
  async reportBytes() {
    const path = '/companies/GB-X-01'
    const { body, status } = await (await given({})).caller.call('GET', path)
    expect(status).toBe(200)
    const size = Buffer.byteLength(JSON.stringify(body))
    expect((await (await given({ reportBytes: size })).caller.call('GET', path)).status).toBe(200)
    const large = await (await given({ reportBytes: size - 1 })).caller.call('GET', path)
    expect(large.status).toBe(302)
    const followed = await send(large.headers.get('location') ?? '')
    expect(followed.body.report).toEqual(body.report)
  },
  async reports() {
    const { caller } = await given({ reports: 1 })
    expect((await caller.call('GET', '/companies/GB-X-01')).status).toBe(200)
    const more = await caller.call('GET', '/companies/GB-X-02')
    expect([more.status, more.body]).toEqual([403, { message: 'Access forbidden' }])
    expect((await caller.call('GET', '/companies/FR-X-03')).status).toBe(200)
  },
  async linkMs() {
    const clock = new HandClock()
    const { caller } = await given({ linkMs: 5_000 }, clock)
    const id = await caller.submitted('name\nAcme Ltd\n')
    await caller.reach(id, 'jobMatchingComplete')
    await caller.call('POST', `${jobs}/${id}/enrich`, {})
    await caller.reach(id, 'enrichmentComplete')
    const { filePath } = (await caller.call('GET', `${jobs}/${id}/enrichedFile`)).body
    clock.move(4_999)
    expect((await send(filePath)).status).toBe(200)
    clock.move(1)
    expect((await send(filePath)).status).toBe(403)
  },
  async reconcileBytes() {
    const ask = await reconciling({ reconcileBytes: 200 })
    const form = (bytes: number): string => `queries=${encodeURIComponent('{"q":{"query":"acme ltd"}}')}&pad=`.padEnd(bytes, 'x')
    expect((await ask('', form(200))).status).toBe(200)
    expect((await ask('', form(201))).status).toBe(413)
  },
  async reconcileQueries() {
    const ask = await reconciling({ reconcileQueries: 2 })
    const batch = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, { query: 'a' }])))
    expect((await ask(`?queries=${encodeURIComponent(batch(2))}`)).status).toBe(200)
    expect((await ask(`?queries=${encodeURIComponent(batch(3))}`)).body.details).toBe('queries: 3 given, 2 are allowed')
  },
  async reconcileIds() {
    const ask = await reconciling({ reconcileIds: 2 })
    const question = (...ids: string[]) => encodeURIComponent(JSON.stringify({ ids, properties: [{ id: 'town' }] }))
    expect((await ask(`?extend=${question('a', 'b')}`)).status).toBe(200)
    expect((await ask(`?extend=${question('a', 'b', 'c')}`)).body.details).toBe('ids: 3 given, 2 are allowed')
  },
  async reconcileCallbackLength() {
    const ask = await reconciling({ reconcileCallbackLength: 5 })
    expect((await ask('?callback=abcde')).status).toBe(200)
    expect((await ask('?callback=abcdef')).status).toBe(400)
  },
  async idempotencyKeyLength() {
    const { caller } = await given({ idempotencyKeyLength: 10 })
    const create = (length: number) => caller.call('POST', jobs, { name: 'a' }, { 'Idempotency-Key': 'k'.repeat(length) })
    expect([(await create(10)).status, (await create(11)).status]).toEqual([200, 400])
  },
  async idempotencyMs() {
    const clock = new HandClock()
    const { caller } = await given({ idempotencyMs: 5_000 }, clock)
    const create = async () => (await caller.call('POST', jobs, { name: 'a' }, { 'Idempotency-Key': 'k' })).body.id
    const first = await create()
    clock.move(5_000)
    expect(await create()).toBe(first)
    clock.move(1)
    expect(await create()).not.toBe(first)
  },
  async jobsAtOnce() {
    const service = await startService({ limits: { jobsAtOnce: 1, matchedMs: 10 }, rowPauseMs: 5 })
    const caller = await logIn(service)
    const [first, second] = [await caller.submitted(`name\n${'a\n'.repeat(40)}`), await caller.submitted('name\na\n')]
    await eventually(async () => {
      const { status, jobSummary } = (await caller.call('GET', `${jobs}/${first}`)).body
      expect(status).toBe('matching')
      expect(jobSummary).not.toHaveProperty('totalRows')
      expect(jobSummary.unmatched).toBeGreaterThan(0)
    })
    await caller.reach(second, 'jobMatchingComplete')
    expect((await caller.call('GET', `${jobs}/${first}`)).body.status).toBe('jobMatchingComplete')
    // Jobs that only wait to be read keep no other waiting.
    const unread = await given({ jobsAtOnce: 1 }, new HandClock())
    for (let n = 0; n < 3; n++) await unread.caller.submitted('name\na\n')
    const listed = async () => (await unread.caller.call('GET', jobs)).body.map((job: { status: string }) => job.status)
    await eventually(async () => expect(await listed()).toEqual(['matched', 'matched', 'matched']))
  },
  async sliceMs() {
    let now = 0
    const clock = { now: () => 0, elapsed: () => now, sleep: async () => {} }
    const pace = makePaces({ clock, sliceMs: 5, pauseMs: 0, signal: new AbortController().signal })()
    let turned = false
    const turn = setImmediate().then(() => {
      turned = true
    })
    now = 4
    await pace()
    expect(turned).toBe(false)
    now = 5
    await pace()
    await turn
  },
  async matchedMs() {
    const clock = new HandClock()
    const { caller } = await given({ matchedMs: 5_000 }, clock)
    const id = await caller.submitted('name\na\n')
    const listed = async () => (await caller.call('GET', jobs)).body[0].status
    while ((await listed()) !== 'matched') await setImmediate()
    clock.move(4_999)
    expect(await listed()).toBe('matched')
    clock.move(1)
    while ((await listed()) !== 'jobMatchingComplete') await setImmediate()
    expect(id).toBeTruthy()
  },
  async diskMs() {
    // A full disk is no verdict on a job: it goes on when there is room again.
    let isFull = true
    let tried = false
    const match: typeof engine.match = query => {
      tried = true
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      return engine.match(query)
    }
    const clock = new HandClock()
    const options = { users: [], dataDir: await temporaryFolder(), clock, limits: { diskMs: 7_000 } }
    const service = await start(options, { ...engine, match }, [])
    onTestFinished(() => service.close())
    const caller = await logIn(service)
    const id = await caller.submitted('name\na\n')
    while (!tried) await setImmediate()
    for (let look = 0; look < 20; look++) await caller.reach(id, 'matching')
    isFull = false
    clock.move(6_999)
    await caller.reach(id, 'matching')
    clock.move(1)
    expect((await caller.reach(id, 'matched')).body.jobSummary.totalRows).toBe(1)
  },
}

test.each(Object.entries(CASES))('%s', (_, run) => run())

test('docs/limits.md shows the table of limits', async () => {
  expect(Object.keys(CASES)).toEqual(Object.keys(LIMIT_TABLE))
  const page = await readFile(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  expect(page.slice(page.indexOf('| name |'))).toBe(limitsMarkdown())
})
