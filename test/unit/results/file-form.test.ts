/** The forms in which a foreign service may deliver the enriched file: read as the text that it is, or refused by name, once. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { openResults } from '../../../src/results/index.ts'
import { factsOf, folder, inMemory, planOf, sha256 } from '../input/kit.ts'

const ASCII_LIST = 'Name,No\nMueller,1\nSoehne,2\n'
const LIST = 'Name,No\nMüller,1\nSöhne,2\n'
/** The companies have letters that the list may lack. */
const enriched = (list: string): string => {
  const [, one = '', two = ''] = list.split('\n')
  return `Name,No,general.rowNumber,general.connectId,general.companyName\n${one},1,CC-1,Müller “000” & Cie €\n${two},2,CC-2,Söhne ž\n`
}

const HIGH = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'
const windows1252 = (text: string): Buffer =>
  Buffer.from([...text].map(one => (HIGH.includes(one) ? 0x80 + HIGH.indexOf(one) : one.charCodeAt(0))))
const utf16 = (text: string, isBig = false): Buffer => {
  const bytes = Buffer.from(text, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}
/** UTF-8 that was read as windows-1252, or Latin-1 where it has no character, and encoded again. */
const encodedTwice = (text: string): Buffer =>
  Buffer.from(
    [...Buffer.from(text)]
      .map(byte => (byte < 0x80 || byte > 0x9f || HIGH[byte - 0x80] === '\0' ? String.fromCharCode(byte) : HIGH[byte - 0x80]!))
      .join(''),
  )
const mark = (bytes: Buffer, ...before: number[]): Buffer => Buffer.concat([Buffer.from(before), bytes])

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

interface Sent {
  readonly charset?: string
  readonly isUnannounced?: boolean
  readonly list?: string
  readonly size?: number
}

/** Receives bytes as the file of a list of two rows; gives the text that was kept, or the error. */
async function receive(bytes: Buffer, { charset, isUnannounced = false, list = ASCII_LIST, size = 7 }: Sent = {}) {
  const [root, work] = [folder(inMemory()), folder(inMemory())]
  writeFileSync(join(root, 'in.csv'), list)
  const plan = planOf({ ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' })
  const results = openResults(plan, work, { root })
  const again = async () => {
    try {
      const download = { bytes: isUnannounced ? null : bytes.length, charset: charset ?? null, body: pieces(bytes, size) }
      const received = await results.receive(0, download, 2)
      const packed = readFileSync(join(work, 'enriched-0.csv.gz'))
      const text = gunzipSync(packed).toString()
      const content = { bytes: Buffer.byteLength(text), rows: 2, sha256: sha256(text), packedSha256: sha256(packed) }
      expect(received).toMatchObject({ ...content, form: { delimiter: ',' } })
      expect(readdirSync(work)).toEqual(['enriched-0.csv.gz'])
      return text
    } catch (error) {
      if (!FettleError.is(error)) throw error
      // The paid file is kept as it came.
      expect(readdirSync(work)).toEqual(['enriched-0.csv.gz.partial'])
      expect(gunzipSync(readFileSync(join(work, 'enriched-0.csv.gz.partial')))).toEqual(bytes)
      return { code: error.code, message: error.message }
    }
  }
  const first = await again()
  return { first, second: typeof first === 'string' ? first : await again() }
}

const TEXT = enriched(ASCII_LIST)
const SPECIAL = enriched(LIST)
const read = (text: string) => ({ first: text, second: text })
const refused = (why: string) => {
  const error = { code: 'FETTLE_FILE_FORM', message: expect.stringContaining(why) }
  return { first: error, second: error }
}

describe('the encoding is read', () => {
  test.each<[string, Buffer, Sent, string?]>([
    ['UTF-8', Buffer.from(TEXT), {}],
    ['UTF-8 under a wrong charset', Buffer.from(TEXT), { charset: 'iso-8859-1' }],
    ['windows-1252 by its charset', windows1252(TEXT), { charset: 'windows-1252' }],
    ['windows-1252 as ISO-8859-1', windows1252(TEXT), { charset: 'ISO-8859-1' }],
    ['windows-1252 by the cells of the list', windows1252(SPECIAL), { list: LIST }, SPECIAL],
    [
      'windows-1252 by the cells of the list, against its charset',
      windows1252(SPECIAL),
      { list: LIST, charset: 'utf-8' },
      SPECIAL,
    ],
    ['UTF-16LE with mark', mark(utf16(TEXT), 0xff, 0xfe), {}],
    ['UTF-16BE with mark', mark(utf16(TEXT, true), 0xfe, 0xff), {}],
    ['UTF-16LE without mark', utf16(TEXT), {}],
    ['UTF-16BE without mark', utf16(TEXT, true), { charset: 'utf-8' }],
    ['UTF-8 that was encoded twice', encodedTwice(TEXT), {}],
    ['UTF-8 that was encoded twice, as its cells show', encodedTwice(SPECIAL), { list: LIST }, SPECIAL],
    [
      'cells of the list that look like it',
      Buffer.from(enriched('Name,No\nMÃ¼ller,1\nB,2\n')),
      { list: 'Name,No\nMÃ¼ller,1\nB,2\n' },
      enriched('Name,No\nMÃ¼ller,1\nB,2\n'),
    ],
  ])('%s', async (_, bytes, sent, text = TEXT) => {
    for (const size of [1, 7, 10_000]) expect(await receive(bytes, { ...sent, size })).toEqual(read(text))
  })
})

describe('what holds the file is read', () => {
  test.each<[string, Buffer, Sent]>([
    ['gzip', gzipSync(TEXT), {}],
    ['gzip of an unknown length', gzipSync(TEXT), { isUnannounced: true }],
    ['gzip of UTF-16', gzipSync(mark(utf16(TEXT), 0xff, 0xfe)), {}],
    ['a line sep=', Buffer.from(`sep=,\r\n${TEXT}`), {}],
    ['a line sep= behind a mark', mark(Buffer.from(`sep=,\n${TEXT}`), 0xef, 0xbb, 0xbf), {}],
    ['an end-of-file mark', Buffer.from(`${TEXT}\x1a`), {}],
    ['all at once', gzipSync(mark(utf16(`sep=,\r\n${TEXT}\x1a`), 0xff, 0xfe)), {}],
  ])('%s', async (_, bytes, sent) => {
    for (const size of [1, 7, 10_000]) expect(await receive(bytes, { ...sent, size })).toEqual(read(TEXT))
  })
})

describe('the rest is refused by name, at once, and kept', () => {
  const zip = Buffer.from('PK\x03\x04\x14\0\0\0\x08\0enriched.csv', 'latin1')
  const workbook = Buffer.from('PK\x03\x04\x14\0\0\0\x08\0[Content_Types].xml xl/workbook.xml', 'latin1')
  test.each<[string, Buffer, string, Sent?]>([
    ['windows-1252 that nothing shows', windows1252(TEXT), 'is not in UTF-8, and nothing shows what it is in'],
    ['windows-1252 under us-ascii', windows1252(TEXT), 'is not in UTF-8, and nothing', { charset: 'us-ascii' }],
    ['windows-1252 under UTF-8', windows1252(TEXT), 'is not in UTF-8, which its Content-Type names', { charset: 'UTF-8' }],
    [
      'bytes that its charset does not have',
      Buffer.concat([windows1252(TEXT), Buffer.of(0x81, 0x0a)]),
      'is not in windows-1252',
      { charset: 'latin1' },
    ],
    ['lost characters', Buffer.from(TEXT.replace('ü', '\ufffd').replace('ö', '\ufffd')), 'holds U+FFFD in 2 places'],
    ['a ZIP archive', zip, 'is a ZIP archive'],
    ['an Excel file', workbook, 'is an Excel file'],
    ['gzip twice', gzipSync(gzipSync(TEXT)), 'is packed twice by gzip'],
    ['damaged gzip', gzipSync(TEXT).fill(0, 20, 40), 'its gzip data are damaged'],
    ['gzip that ends early', gzipSync(TEXT).subarray(0, -12), 'its gzip data are damaged'],
    ['JSON', Buffer.from('[{"general.connectId":"CC-1"}]'), 'is a JSON document'],
    ['a web page', Buffer.from('<!doctype html><title>Login</title>'), 'is a web page'],
    ['a separator that is another', Buffer.from(`sep=;\r\n${TEXT}`), 'has the line sep=;, and its rows are separated by ","'],
  ])('%s', async (_, bytes, why, sent = {}) => {
    expect(await receive(bytes, sent)).toEqual(refused(why))
  })

  it('but bytes that end early, of an unknown length, are cut until they come the same way twice', async () => {
    for (const bytes of [gzipSync(TEXT).subarray(0, -12), Buffer.from(TEXT).subarray(0, TEXT.indexOf('ü') + 1)]) {
      const { first, second } = await receive(bytes, { isUnannounced: true })
      expect(first).toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT' })
      expect(second).toMatchObject({ code: 'FETTLE_FILE_FORM' })
    }
  })

  it('and a file that ends within a row each time, with all of its bytes, is not cut for ever', async () => {
    const { first, second } = await receive(Buffer.from(`${TEXT}2 rows`))
    expect(first).toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT', message: expect.stringContaining('ends inside a row') })
    expect(second).toMatchObject({ code: 'FETTLE_LEDGER', message: expect.stringContaining('ends inside a row') })
  })
})

it('any letters are read as they are, in every encoding that has them', async () => {
  const letter = fc.constantFrom(...'aZ1 &äöüßéèñçøåÅÆþÐ€“”žŠœ£©ÂÃ')
  const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 })
  const forms: Record<string, (text: string) => [Buffer, Sent]> = {
    utf8: text => [Buffer.from(text), {}],
    named: text => [windows1252(text), { charset: 'windows-1252' }],
    wide: text => [mark(utf16(text), 0xff, 0xfe), {}],
    big: text => [mark(utf16(text, true), 0xfe, 0xff), {}],
    unmarked: text => [utf16(text), {}],
    packed: text => [gzipSync(text), {}],
  }
  await fc.assert(
    fc.asyncProperty(name, name, fc.constantFrom(...Object.keys(forms)), async (one, two, form) => {
      const text = `Name,No,general.connectId,general.companyName\nMueller,1,CC-1,${one}\nSoehne,2,CC-2,${two}\n`
      const [bytes, sent] = forms[form]!(text)
      const { first } = await receive(bytes, sent)
      // A text that reads as another text encoded twice, cannot be told from it, nor one whose bytes are UTF-8 too.
      const isUtf8 = /[^ -~\n]/.test(text) && !windows1252(text).toString().includes('\ufffd')
      if (form === 'utf8' ? !/[ÂÃÅÐ]/.test(text) : form !== 'named' || !isUtf8) expect(first).toBe(text)
    }),
    { numRuns: 60 },
  )
})
