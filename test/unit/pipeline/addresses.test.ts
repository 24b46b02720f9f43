/** Addresses of inputs and outputs: refusals, shown forms, and hidden queries. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressOf,
  isAddress,
  isHidden,
  linksOf,
  shownPath,
  whyNotAddress,
  whyNotEndpoint,
} from '../../../src/pipeline/schema/addresses.ts'
import { isSamePath, whyNotReadable, whyNotWritable } from '../../../src/pipeline/schema/paths.ts'

describe('an address', () => {
  test.each([
    's3://lists/suppliers.csv',
    's3://my.lists-2026/in/2026-03-01/Lieferanten ä.csv'.replace(' ', '_'),
    'https://files.example/out.csv',
    'https://files.example/out.csv?X-Amz-Signature=abc&part=1',
    'http://127.0.0.1:9000/a.csv',
    'http://localhost/a.csv?x=1',
  ])('%s may be read and written', path => {
    expect(whyNotReadable(path)).toBeNull()
    expect(whyNotWritable(path, { roots: ['/project'] })).toBeNull()
  })

  test.each<[string, RegExp]>([
    ['ftp://files.example/a.csv', /scheme ftp:/],
    ['file:///etc/passwd', /scheme file:/],
    ['http://files.example/a.csv', /http:\/\/, which would show/],
    ['http://10.0.0.7/a.csv', /http:\/\/, which would show/],
    ['https://ada:secret@files.example/a.csv', /user name or password/],
    ['https://files.example/a.csv#top', /fragment/],
    ['https://files.example/folder/', /folder/],
    ['https://files.example', /folder/],
    ['https:///a b.csv', /space/],
    ['https://[broken/a.csv', /not a valid URL/],
    ['s3://lists', /names no object/],
    ['s3://lists/', /names no object/],
    ['s3://lists/folder/', /names no object/],
    ['s3:///key.csv', /no bucket/],
    ['s3://Lists/key.csv', /no bucket/],
    ['s3://li/key.csv', /no bucket/],
    ['s3://lists/a/../b.csv', /empty step/],
    ['s3://lists/a//b.csv', /empty step/],
    [`s3://lists/${'k'.repeat(1025)}`, /longer than 1024/],
  ])('%s is refused', (path, why) => {
    expect(whyNotAddress(path)).toMatch(why)
    expect(whyNotReadable(path)).toMatch(why)
    expect(whyNotWritable(path, { roots: ['/project'] })).toMatch(why)
  })

  test('is split into bucket and key, or kept as a URL', () => {
    expect(addressOf('s3://lists/in/a.csv')).toEqual({ kind: 's3', bucket: 'lists', key: 'in/a.csv' })
    expect(addressOf('https://h.example/a.csv?s=1')).toEqual({ kind: 'https', url: 'https://h.example/a.csv?s=1' })
    expect(['data/a.csv', '/a.csv', 'C:/a.csv', '-'].map(isAddress)).toEqual([false, false, false, false])
  })
})

describe('the shown form', () => {
  test('has no query and no user name', () => {
    expect(shownPath('https://h.example/a.csv?X-Amz-Signature=abc')).toBe('https://h.example/a.csv?***')
    expect(shownPath('https://ada:secret@h.example/a.csv')).toBe('https://h.example/a.csv')
    expect(shownPath('s3://lists/why?.csv')).toBe('s3://lists/why?.csv')
    expect(shownPath('data/what?.csv')).toBe('data/what?.csv')
    expect(isHidden(shownPath('https://h.example/a.csv?s=1'))).toBe(true)
    expect(isHidden('https://h.example/a.csv')).toBe(false)
  })

  test('never holds a secret of the address and is idempotent', () => {
    const secret = fc.stringMatching(/^[A-Za-z0-9+=%&-]{8,30}$/)
    fc.assert(
      fc.property(
        fc.webUrl({ withQueryParameters: false, withFragments: false }),
        secret,
        fc.boolean(),
        (url, hidden, asUser) => {
          const address = asUser ? url.replace('://', `://u:${hidden}@`) : `${url}?token=${hidden}`
          const shown = shownPath(address)
          expect(shown.includes(hidden) && !url.includes(hidden)).toBe(false)
          expect(shownPath(shown)).toBe(shown)
          expect(whyNotAddress(address) ?? '').not.toContain(hidden)
        },
      ),
    )
  })

  test('maps back to the full address only in memory', () => {
    const links = linksOf(['https://h.example/a.csv?s=1', 's3://lists/b.csv', null, undefined])
    expect([...links]).toEqual([['https://h.example/a.csv?***', 'https://h.example/a.csv?s=1']])
  })
})

test('two addresses with the same shown form are the same file', () => {
  expect(isSamePath('https://h.example/a.csv?s=1', 'https://h.example/a.csv?s=2')).toBe(true)
  expect(isSamePath('s3://lists/a.csv', 's3://lists/A.csv')).toBe(false)
  expect(isSamePath('out/a.csv', 'OUT/A.csv')).toBe(true)
})

test.each<[string, RegExp | null]>([
  ['https://minio.example', null],
  ['https://minio.example:9000/', null],
  ['http://127.0.0.1:9000', null],
  ['http://minio.example', /http:/],
  ['minio.example', /not an https/],
  ['https://key:secret@minio.example', /user name/],
  ['https://minio.example?x=1', /query/],
])('the store %s', (text, why) => {
  if (why === null) expect(whyNotEndpoint(text)).toBeNull()
  else expect(whyNotEndpoint(text)).toMatch(why)
})
