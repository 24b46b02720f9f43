/** H15 to H18, H20, H36: forms and files that are wrong. */
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Reply } from '../kit.ts'
import { sendRaw } from '../raw.ts'
import { type Case, expectRefusal, jobs, one, rawRequest, type World } from './world.ts'

const file = new Blob(['name\nAcme\n'])
type Part = readonly [string, string | Blob, string?]
const form = (...parts: Part[]): FormData => {
  const data = new FormData()
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, value, filename ?? 'a.csv')
  }
  return data
}
const flag: Part = ['hasHeader', 'true']
const multipart = (boundary: string) => ({ 'Content-Type': `multipart/form-data; boundary=${boundary}` })
const filePart = 'Content-Disposition: form-data; name="jobFile"; filename="a.csv"'

/** Sends a body as the upload of a fresh job; the answer, the job's status afterwards, and no half file. */
async function uploaded(
  { ann, folder }: World,
  body: FormData | string,
  headers = {},
): Promise<{ reply: Reply; status: string }> {
  const id = await ann.create()
  const reply = await ann.call('POST', `${jobs}/${id}/upload`, body, headers)
  expect(await readdir(join(folder, 'uploads'))).not.toContainEqual(expect.stringMatching(/part$/))
  return { reply, status: (await ann.call('GET', `${jobs}/${id}`)).body.status }
}

const FORMS: readonly (readonly [string, FormData, string])[] = [
  ['no jobFile', form(flag), 'jobFile: is missing'],
  ['nothing at all', form(['x', '']), 'jobFile: is missing'],
  ['two files', form(['jobFile', file], ['jobFile', file], flag), 'jobFile: occurs twice'],
  ['text for the file', form(['jobFile', 'a,b'], flag), 'jobFile: must be a file'],
  ['a file of another name', form(['file', file], flag), 'file: is not a file of this operation'],
  ['no hasHeader', form(['jobFile', file]), 'hasHeader: is missing'],
  ['hasHeader twice', form(flag, flag, ['jobFile', file]), 'hasHeader: occurs twice'],
  ['hasHeader maybe', form(['hasHeader', 'maybe'], ['jobFile', file]), 'hasHeader: must be true or false'],
  ['hasHeader empty', form(['hasHeader', ''], ['jobFile', file]), 'hasHeader: must be true or false'],
  [
    'hasHeader as a file',
    form(['hasHeader', new Blob(['true'])], ['jobFile', file]),
    'hasHeader: is not a file of this operation',
  ],
]

const tableOf = (rows: number, cells = 'Acme Ltd,1'): string => `name,b\n${`${cells}\n`.repeat(rows)}`

/** Files that do not read cleanly (faults §4.2), and what the job's error says. */
const FILES: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['C3 nothing', '', /empty/],
  ['C3 a BOM and blank lines', '\ufeff\n\n\r\n', /empty/],
  ['C5 a ZIP, as XLSX is', Buffer.from('504b0304140000000800', 'hex'), /^line 1: .*NUL/],
  ['C5 a web page', '<!doctype html>\n<html lang="en">\n<p>a,b</p>\n', /line 2/],
  ['C5 gzip', Buffer.from('1f8b080000000000', 'hex'), /^line 1: /],
  ['C5 UTF-16 with a BOM', Buffer.from('\ufeffname\nx\n', 'utf16le'), /^line 1: /],
  ['C5 UTF-16 without', Buffer.from('name\nx\n', 'utf16le'), /^line 1: .*NUL/],
  ['C8 Latin-1', Buffer.from(`${tableOf(1_500)}M\xfcller,1\n`, 'latin1'), /^line 1502: .*not UTF-8/],
  [
    'C8 a character cut off at the end',
    Buffer.concat([Buffer.from('name,b\nAcme,1\nM'), Buffer.from([0xc3])]),
    /^line 3: .*not UTF-8/,
  ],
  ['C10 NUL', 'name,b\nAcme,1\na\0b,1\n', /^line 3: .*NUL/],
  ['C10 text after a closing quote', 'name,b\nx,"1"2\n', /line 2/],
  ['C11 a quote never closed', 'name,b\nx,1\n"y\nz",2\nw,"1\nv,2\n', /^line 5: a quote/],
  ['C11 … at the very beginning', '"name,b\nx,1\n', /^line 1: a quote/],
  ['C12 bare quotes', 'name,b\nOOO "Romashka",1\n', /line 2/],
  ['C12 a space before a quote', 'name,b\nx, "1"\n', /line 2/],
  ['C14 too few cells', `${tableOf(9)}y\n`, /line 11/],
  ['C14 too many cells', `${tableOf(9)}y,1,2\n`, /line 11/],
  ['C22 a title above the header', 'Suppliers 2026\n\nname,b\nx,1\n', /line 3/],
  ['C23 a record too large', `name,b\n${'x'.repeat(30_000)},1\n`, /maximum number of tolerated bytes.*line 2/],
  ['C23 too many columns', `${Array.from({ length: 1_025 }, (_, n) => `c${n}`).join()}\n`, /record 1: 1025 columns/],
  ['too many rows', tableOf(2_001), /record 2001: more than the 2000/],
]

/** Files that look odd and read cleanly: the count is exactly that of their records. */
const ODD: readonly (readonly [string, string, number])[] = [
  ['C4 a header only', 'name,b\n', 0],
  ['C9 U+FFFD', 'name,b\nA\ufffdB,1\n', 1],
  ['C15 a delimiter at the end of every row', 'name,b,\nx,1,\ny,2,\n', 2],
  ['C16 CRLF and LF, blank lines, no end', 'name,b\r\nx,1\n\n\r\ny,2', 2],
  ['C16 lone CR', 'name,b\rx,1\ry,2\r', 2],
  ['C18 a header twice', 'name,name\nx,1\n', 1],
  ['C19 an empty header', 'name,\nx,1\n', 1],
  ['C21 __proto__', '__proto__,constructor\nx,1\n', 1],
  ['C28 formulas', 'name,b\n=1+1,+1\n"@x",-1\n', 2],
  ['C31 the same row again and again', tableOf(50), 50],
  ['C32 control characters, RTL, emoji', 'name,b\na\u0001\u202eb,🜁\n', 1],
  ['line ends inside quotes', 'name,b\n"x\ny",1\n"z\r\n\r\nw",2\n', 2],
]

/** Uploads, maps column 0, submits, and waits for the end, whichever it is. */
async function matched(
  { ann }: World,
  bytes: string | Buffer,
): Promise<{ status: string; details?: string; jobSummary?: { totalRows: number } }> {
  const id = await ann.create()
  const blob = new Blob([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)])
  expect((await ann.call('POST', `${jobs}/${id}/upload`, form(flag, ['jobFile', blob]))).status).toBe(200)
  await ann.call('PUT', `${jobs}/${id}/mappings`, [{ mapping: 'name', value: '0' }])
  await ann.call('POST', `${jobs}/${id}/submit`)
  for (;;) {
    const { body } = await ann.call('GET', `${jobs}/${id}`)
    if (/Error$|^jobMatchingComplete$/.test(body.status)) return body
    await setImmediate()
  }
}

export const uploads: Case[] = [
  one('H15', 'not multipart, no boundary, one of 10 KB, no body', async world => {
    const bodies: [FormData | string, Record<string, string>][] = [
      ['{}', { 'Content-Type': 'application/json' }],
      ['a', { 'Content-Type': 'multipart/form-data' }],
      ['a', { 'Content-Type': 'multipart/form-data; boundary=' }],
      ['x', multipart('b'.repeat(10_000))],
      ['a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }],
      ['x', multipart('b')],
    ]
    for (const [body, headers] of bodies) {
      const { reply, status } = await uploaded(world, body, headers)
      expectRefusal(reply, 400)
      expect(status).toMatch(/^created$|^uploadError$/)
    }
    return bodies.length
  }),
  one('H15', 'the last boundary is missing', async world => {
    for (const body of [
      `--b\r\n${filePart}\r\n\r\nname\nAcme\n`,
      `--b\r\n${filePart}\r\n\r\nname\nAcme\n\r\n--b`,
      `--b\r\n${filePart}`,
    ]) {
      expectRefusal((await uploaded(world, body, multipart('b'))).reply, 400)
    }
    return 3
  }),
  one('H16', 'fields that the operation does not have are ignored, and named', async world => {
    const body = form(['x', 'y'], ['jobFile', file], flag, ['x', 'z'], ['not a\tname', ''], ['__proto', 'z'])
    const { reply, status } = await uploaded(world, body)
    expect([reply.status, status]).toEqual([200, 'uploaded'])
    expect(reply.headers.get('x-ignored-keys')).toBe('x, *, __proto')
    return 1
  }),
  ...FORMS.map(([title, body, details]) =>
    one('H16', title, async world => {
      const { reply, status } = await uploaded(world, body)
      expectRefusal(reply, 400)
      expect([reply.body.details, status]).toEqual([details, 'created'])
    }),
  ),
  one('H17', '10,001 parts, a field of 1 MB, 10,000 part headers, text around the parts', async world => {
    const parts = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n'.repeat(10_001)
    const headers = Array.from({ length: 10_000 }, (_, n) => `h${n}: 1\r\n`).join('')
    const flagPart = '--b\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n'
    const whole = (around: string, headers: string): string =>
      `${around}--b\r\n${filePart}\r\n${headers}\r\nname\nAcme\n\r\n${flagPart}--b--\r\n`
    const bodies = [
      `${parts}--b--\r\n`,
      whole('', headers),
      whole(`${'x'.repeat(20_000)}\r\n`, ''),
      `${whole('', '')}${'x'.repeat(20_000)}`,
    ]
    for (const body of bodies) {
      const { reply, status } = await uploaded(world, body, multipart('b'))
      expectRefusal(reply, 413)
      expect(status).not.toBe('uploaded')
    }
    expect((await uploaded(world, whole('', ''), multipart('b'))).status).toBe('uploaded')
    expectRefusal((await uploaded(world, form(['hasHeader', 'x'.repeat(40_000)], ['jobFile', file]))).reply, 413)
    return bodies.length + 1
  }),
  one('H17', 'a file, and a chunked body without an end, over the limit', async world => {
    const { reply, status } = await uploaded(world, form(flag, ['jobFile', new Blob(['x'.repeat(60_000)])]))
    expectRefusal(reply, 413)
    expect(status).toBe('uploadError')
    expectRefusal((await uploaded(world, form(flag, ['jobFile', new Blob(['x'.repeat(100_000)])]))).reply, 413)
    const { ann, service } = world
    const id = await ann.create()
    const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`
    const head = ['Content-Type: multipart/form-data; boundary=b', 'Transfer-Encoding: chunked']
    const endless = rawRequest(ann, 'POST', `${jobs}/${id}/upload`, head, chunk.repeat(20))
    expect(await sendRaw(service.url, endless)).toMatch(/^HTTP\/1\.1 413 /)
    return 3
  }),
  one('H17', 'no byte stays of a file with too much behind its last boundary', async ({ service, ann, folder }) => {
    const { portfolioId } = (await ann.call('POST', '/monitoring/portfolios', { name: 'one' })).body
    const portfolio = `/monitoring/portfolios/${portfolioId}`
    const file = `Safe Number\n${'x'.repeat(20_000)}\n`
    const places = ['uploads', 'imports'].map(name => join(folder, name))
    const files = () => Promise.all(places.map(place => readdir(place)))
    const before = await files()
    let tried = 0
    for (const path of [`${jobs}/${await ann.create()}/upload`, `${portfolio}/import`, `${portfolio}/sync`]) {
      const isUpload = path.endsWith('upload')
      const flagPart = isUpload ? '--b\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n' : ''
      const filePart = `Content-Disposition: form-data; name="${isUpload ? 'jobFile' : 'importcsv'}"; filename="a.csv"`
      const body = `${flagPart}--b\r\n${filePart}\r\n\r\n${file}\r\n--b--\r\n`
      for (const rest of [20_000, 3_000_000]) {
        const whole = body + 'x'.repeat(rest)
        for (const [framing, bytes] of [
          [`Content-Length: ${whole.length}`, whole],
          ['Transfer-Encoding: chunked', `${whole.length.toString(16)}\r\n${whole}\r\n0\r\n\r\n`],
        ] as const) {
          const head = ['Content-Type: multipart/form-data; boundary=b', framing]
          expect(await sendRaw(service.url, rawRequest(ann, 'POST', path, head, bytes))).toMatch(/^HTTP\/1\.1 413 /)
          expect(await files(), `${path} ${framing} ${rest}`).toEqual(before)
          tried += 1
        }
      }
    }
    return tried
  }),
  one('H18', 'a file name is only data', async world => {
    const names = [
      '../../etc/passwd',
      'C:\\x\\passwd',
      '/etc/passwd',
      'pass\u202ewd',
      'n'.repeat(5_000),
      '%2e%2e%2fpasswd',
      'pass\u0001wd',
      '..',
      '-rf',
      '<b>.csv',
    ]
    for (const name of names) {
      const { reply } = await uploaded(world, form(['jobFile', file, name], flag))
      expect([name, reply.status]).toEqual([name, 200])
      expect(reply.body.sourceFilename).not.toMatch(/[\\/\u0000-\u001f]/)
      expect(reply.body.sourceFilename.length).toBeLessThanOrEqual(255)
    }
    for (const raw of ['pass\u0000wd', 'a\r\nContent-Type: evil', 'a\nb']) {
      const body = `--b\r\nContent-Disposition: form-data; name="jobFile"; filename="${raw}"\r\n\r\nname\n\r\n--b\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n--b--\r\n`
      const { reply } = await uploaded(world, body, multipart('b'))
      if (reply.status === 200) expect(reply.body.sourceFilename).not.toMatch(/[\u0000-\u001f]/)
      else expectRefusal(reply, 400)
    }
    for (const name of await readdir(join(world.folder, 'uploads'))) expect(name).toMatch(/^[0-9a-f-]{36}\.csv$/)
    return names.length + 3
  }),
  one('H20', 'a caller who goes away in the middle', async ({ service, ann, folder, atEnd }) => {
    const id = await ann.create()
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    atEnd(() => socket.destroy())
    const head = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 9000']
    socket.write(rawRequest(ann, 'POST', `${jobs}/${id}/upload`, head, `--b\r\n${filePart}\r\n\r\nname\nAcme\n`))
    const status = async (): Promise<string> => (await ann.call('GET', `${jobs}/${id}`)).body.status
    while ((await status()) !== 'uploading') await setImmediate()
    expectRefusal(await ann.upload(id, 'name\nAcme\n'), 400, /status is uploading/)
    socket.destroy()
    while ((await status()) === 'uploading') await setImmediate()
    expect(await status()).toBe('uploadError')
    expect(await readdir(join(folder, 'uploads'))).not.toContainEqual(expect.stringMatching(/part$/))
    expect((await ann.upload(id, 'name\nAcme\n')).status).toBe(200)
    return 2
  }),
  ...FILES.map(([title, bytes, details]) =>
    one('H36', title, async world => {
      const job = await matched(world, bytes)
      expect(job).toMatchObject({ status: 'transformFileError', details: expect.stringMatching(details) })
      expect(job.jobSummary).toBeUndefined()
    }),
  ),
  ...ODD.map(([title, text, rows]) =>
    one('H36', `${title}: every row is counted`, async world => {
      expect(await matched(world, text)).toMatchObject({ status: 'jobMatchingComplete', jobSummary: { totalRows: rows } })
    }),
  ),
]
