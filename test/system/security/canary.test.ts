/** The search for canaries finds them in any encoding and position, complete or cut. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { CANARY, canariesBelow, canariesIn, MARK } from './canary.ts'

const ENCODINGS: Readonly<Record<string, (text: string) => string | Buffer>> = {
  plain: text => text,
  JSON: text => JSON.stringify({ text }),
  'JSON in JSON': text => JSON.stringify(JSON.stringify({ text })),
  'a URL': text => encodeURIComponent(text),
  'a form': text => new URLSearchParams({ text }).toString(),
  base64: text => Buffer.from(text).toString('base64'),
  base64url: text => Buffer.from(text).toString('base64url'),
  hex: text => Buffer.from(text).toString('hex'),
  'capital hex': text => Buffer.from(text).toString('hex').toUpperCase(),
  'UTF-16': text => Buffer.from(text, 'utf16le'),
  'percent signs': text => [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
}

test.each(Object.entries(ENCODINGS))('a canary within any text is found: %s', (_, encode) => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...Object.values(CANARY).slice(1)), fc.string(), (before, secret, after) => {
      expect(canariesIn(encode(before + secret + after), 'here')).not.toEqual([])
    }),
  )
})

test('finds the first half of a canary, and an unmarked token by its shape', () => {
  expect(canariesIn(`see ${CANARY.password.slice(0, 14)}…`, 'here')).toEqual(['here: plain'])
  expect(canariesIn('authorization: Bearer abcdefgh12', 'here')).toEqual(['here: a bearer token'])
  expect(canariesIn('GET /f?X-Amz-Signature=abc', 'here')).toEqual(['here: a signed query'])
})

test('finds nothing else', () => {
  fc.assert(fc.property(fc.string(), text => canariesIn(text, 'here').length === 0))
  expect(canariesIn('GET https://h/f?sig=*** with Bearer ***', 'here')).toEqual([])
})

test('searches names and contents of folders, except excluded files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-canary-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'a'))
  writeFileSync(join(folder, 'a', `x-${MARK}`), '')
  writeFileSync(join(folder, 'a', 'bytes'), Buffer.from([0xff, ...Buffer.from(MARK)]))
  writeFileSync(join(folder, 'secret'), CANARY.password)
  const { hits, files } = canariesBelow(folder, /^secret$/)
  expect([hits.sort(), files]).toEqual([['a/bytes: plain', `the name a/x-${MARK}: plain`], 2])
})
