/** The small parts: durations, thresholds, suggestions, addresses, paths, bytes. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearest } from '../../../src/nearest.ts'
import { checkServiceUrl, isLoopback } from '../../../src/pipeline/schema/addresses.ts'
import { duration } from '../../../src/pipeline/schema/forms.ts'
import { isSamePath, whyNotReadable, whyNotWritable } from '../../../src/pipeline/schema/paths.ts'
import { decodePipeline, pipelineFormat } from '../../../src/pipeline/source/decode.ts'
import { formatDuration, parseDuration, parseThreshold } from '../../../src/pipeline/source/durations.ts'
import { lineFinder } from '../../../src/pipeline/source/placed-issues.ts'
import { show } from '../../../src/pipeline/source/quote.ts'

describe('durations', () => {
  test.each([
    ['500ms', 500],
    ['2s', 2000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['10', null],
    ['0s', null],
    ['-5m', null],
    ['1.5h', null],
    ['1e99s', null],
    ['2 hours', null],
    ['9999999999s', null],
    [' 2s', null],
  ])('%s is %s', (text, ms) => expect(parseDuration(text)).toBe(ms))

  test('a duration outside its bounds is answered with examples inside them', () => {
    const errorOf = (min: string, max: string): string =>
      duration(parseDuration(min)!, parseDuration(max)!).safeParse('soon').error?.issues[0]?.message ?? ''
    expect(errorOf('1d', '3650d')).toBe('a duration from 1d to 3650d, such as 1d or 30d')
    expect(errorOf('100ms', '1h')).toBe('a duration from 100ms to 1h, such as 500ms, 30s or 5m')
    expect(errorOf('40d', '50d')).toBe('a duration from 40d to 50d')
  })

  test('a formatted duration parses to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), ms => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })
})

describe('thresholds', () => {
  test.each([
    ['< 90%', { text: '< 90%', operator: '<', value: 0.9, unit: 'share' }],
    ['>=0.5%', { text: '>=0.5%', operator: '>=', value: 0.005, unit: 'share' }],
    [' > 500 ', { text: '> 500', operator: '>', value: 500, unit: 'rows' }],
    ['<= 100%', { text: '<= 100%', operator: '<=', value: 1, unit: 'share' }],
    ['90', null],
    ['90%', null],
    ['< 150%', null],
    ['=< 5', null],
    ['> 1.5', null],
    ['> -1', null],
    ['< NaN', null],
    ['> 5 rows', null],
  ])('%s', (text, expected) => expect(parseThreshold(text)).toEqual(expected))
})

describe('nearest', () => {
  test.each([
    ['mapings', ['mappings', 'name'], 'mappings'],
    ['nmae', ['name', 'input'], 'name'],
    ['NAME', ['name'], 'name'],
    ['companyName', ['companyId', 'name', 'country'], 'name'],
    ['xyz', ['name', 'input'], null],
    ['steps', ['checks', 'retry'], null],
    ['', ['a'], null],
  ])('%j of %j is %s', (word, known, expected) => expect(nearest(word, known)).toBe(expected))

  test('finds a word with one edit', () => {
    const known = ['mappings', 'output', 'concurrency', 'unmatched']
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(), fc.constantFrom('drop', 'swap', 'double'), (word, seed, edit) => {
        const at = seed % (word.length - 1)
        const changed = {
          drop: word.slice(0, at) + word.slice(at + 1),
          swap: word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2),
          double: word.slice(0, at) + word[at] + word.slice(at),
        }[edit]
        expect(nearest(changed, known)).toBe(word)
      }),
    )
  })
})

describe('the address of the service', () => {
  test.each([
    ['https://connect.example.com/v1', 'https://connect.example.com/v1'],
    ['https://connect.example.com/v1/', 'https://connect.example.com/v1'],
    ['HTTPS://Connect.Example.com/a/v12', 'https://connect.example.com/a/v12'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['http://localhost/v1', 'http://localhost/v1'],
    ['http://[::1]:9/v1', 'http://[::1]:9/v1'],
  ])('%s is used as %s', (text, url) => expect(checkServiceUrl(text, false)).toEqual({ url }))

  test.each([
    ['', 'no scheme'],
    ['host/v1', 'no scheme'],
    ['//host/v1', 'no scheme'],
    ['file:///v1', 'scheme file:'],
    ['javascript://x/v1', 'scheme javascript:'],
    ['https:///', 'valid'],
    ['https://user@host/v1', 'user name or password'],
    ['https://host/v1?', 'query'],
    ['https://host', 'version'],
    ['https://host/v1/jobs', 'version'],
    ['https://ho st/v1', 'space'],
    ['https://host\\v1', 'backslash'],
    ['http://localhost.example.com/v1', 'http://'],
    ['http://192.168.0.1/v1', 'http://'],
    ['http://127.0.0.1.example.com/v1', 'http://'],
  ])('%s is refused', (text, words) =>
    expect(checkServiceUrl(text, false)).toMatchObject({ problem: expect.stringContaining(words) }),
  )

  test('insecure allows http:// anywhere', () => {
    expect(checkServiceUrl('http://10.0.0.1/v1', true)).toEqual({ url: 'http://10.0.0.1/v1' })
  })

  test('accepts other spellings of a loopback address', () => {
    for (const host of ['127.1', '2130706433', '0x7f.1', 'LOCALHOST'])
      expect(isLoopback(new URL(`http://${host}/`).hostname)).toBe(true)
    for (const host of ['0.0.0.0', '10.0.0.1', '[::]', 'localhost.'])
      expect(isLoopback(new URL(`http://${host}/`).hostname)).toBe(false)
  })
})

describe('paths', () => {
  test.each(['out.csv', 'out/a.csv', './out/a b.csv', 'a/../b.csv', 'ß/ü.csv', '..a.csv'])('%s may be written', path =>
    expect(whyNotWritable(path, { roots: [] })).toBeNull(),
  )

  test('an absolute path may be written only inside the project', () => {
    expect(whyNotWritable('/project/out.csv', { roots: ['/project'] })).toBeNull()
    expect(whyNotWritable('/project/out.csv', { roots: ['/project/'] })).toBeNull()
    expect(whyNotWritable('/projects/out.csv', { roots: ['/project'] })).toContain('outside')
    expect(whyNotWritable('/project/../out.csv', { roots: ['/project'] })).toContain('outside')
    expect(whyNotWritable('/project/out.csv', { roots: [] })).toContain('outside')
  })

  test('a relative path leads out of the project only into a folder that the user adds', () => {
    const places = { base: '/base/project', roots: ['/base/project', '/base/shared', '/far'] }
    for (const path of ['../shared/out.csv', 'a/../../shared/b/out.csv', '../../far/out.csv', '../project/out.csv'])
      expect(whyNotWritable(path, places)).toBeNull()
    for (const path of ['../out.csv', '../sharedx/out.csv', '../shared', '../shared/../out.csv', '../../out.csv'])
      expect(whyNotWritable(path, places)).toContain('outside')
    expect(whyNotWritable('../shared/out.csv', { roots: places.roots })).toContain('outside')
    expect(whyNotWritable('../shared/NUL', places)).toContain('device')
  })

  test.each(['NUL', 'com1.csv', 'a/LPT9', 'a./b', 'a /b', 'a?b', 'a:b', 'a\\b', 'a\u0007b', 'out/', '.', ''])(
    '%j may not be written',
    path => expect(whyNotWritable(path, { roots: [] })).not.toBeNull(),
  )

  test('inputs may be anywhere', () => {
    expect(whyNotReadable('/data/in.csv')).toBeNull()
    expect(whyNotReadable('../in.csv')).toBeNull()
    expect(whyNotReadable('~/in.csv')).toContain('~')
  })

  test('two spellings of one path are the same file', () => {
    expect(isSamePath('a.csv', './b/../A.csv')).toBe(true)
    expect(isSamePath('a.csv', '/a.csv')).toBe(false)
  })
})

describe('bytes', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const problem = (input: Uint8Array) => {
    const decoded = decodePipeline(input, 'p.yml')
    return 'issue' in decoded ? decoded.issue.message : null
  }

  test('decodes UTF-8 with and without a byte-order mark', () => {
    expect(decodePipeline(bytes('a: ü'), 'p.yml')).toEqual({ text: 'a: ü' })
    expect(decodePipeline(bytes('\ufeffa: ü'), 'p.yml')).toEqual({ text: 'a: ü' })
    expect(decodePipeline(bytes(''), 'p.yml')).toEqual({ text: '' })
  })

  test('P3, P4 names the limit, the encoding or the byte', () => {
    expect(problem(new Uint8Array(256 * 1024 + 1))).toContain('larger than 256 KiB')
    expect(problem(Uint8Array.of(0xff, 0xfe, 0x61, 0))).toContain('UTF-16')
    expect(problem(Uint8Array.of(0x61, 0, 0x3a, 0))).toContain('UTF-16')
    expect(problem(Uint8Array.of(0, 0x61))).toContain('UTF-16')
    expect(problem(Uint8Array.of(0x61, 0x62, 0, 0x63))).toContain('NUL at byte 2')
    expect(problem(Uint8Array.of(0x61, 0x62, 0xe4, 0x63))).toContain('from byte 3')
    expect(problem(Uint8Array.of(0x61, 0xc3))).not.toBeNull()
  })

  test('finds the first invalid byte at any offset', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: fc.constantFrom('a', 'ü', '€', '😀') }), text => {
        const good = bytes(text)
        const message = problem(Uint8Array.of(...good, 0xff, ...good))
        expect(message).toContain(`from byte ${good.length} on`)
      }),
    )
  })

  test('P42 the extension decides the format', () => {
    expect(['a.yml', 'a.YAML', 'a.json', 'a.txt', 'a'].map(pipelineFormat)).toEqual(['yaml', 'yaml', 'json', null, null])
  })
})

test('escapes hidden characters', () => {
  expect(show('a\u00a0b\u200bc\u202ed\ufeff\n"\\')).toBe('"a\\u00a0b\\u200bc\\u202ed\\ufeff\\u000a\\"\\\\"')
  expect(show('Zürich 株式会社 😀')).toBe('"Zürich 株式会社 😀"')
  expect(show('x'.repeat(100))).toBe(`"${'x'.repeat(60)}…"`)
})

test('lines end at LF, CRLF and CR', () => {
  const spotOf = lineFinder('ab\ncd\r\nef\rgh')
  expect([0, 2, 3, 7, 9, 10, 12].map(offset => Object.values(spotOf(offset)))).toEqual([
    [1, 1],
    [1, 3],
    [2, 1],
    [3, 1],
    [3, 3],
    [4, 1],
    [4, 3],
  ])
})
