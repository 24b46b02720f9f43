import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  FILE_HOSTS,
  isPrivateAddress,
  judgeLink,
  lookupPublic,
  parseBase,
  resolveLink,
  under,
} from '../../../src/client/http/links.ts'

const base = parseBase('https://api.example.com/v1/', false)

describe('the base address', () => {
  test.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['https://api.example.com/v1//', 'https://api.example.com/v1'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['http://localhost:8080/v1', 'http://localhost:8080/v1'],
    ['http://[::1]:8080/v1', 'http://[::1]:8080/v1'],
  ])('%s', (text, expected) => {
    expect(parseBase(text, false).href).toBe(expected)
  })

  test.each([
    ['http off loopback', 'http://api.example.com/v1'],
    ['http to a private address', 'http://10.0.0.1/v1'],
    ['http to a name that begins like this machine', 'http://127.evil.example/v1'],
    ['http to a name that holds its address', 'http://127.0.0.1.evil.example/v1'],
    ['credentials', 'https://user:secret@api.example.com/v1'],
    ['a query', 'https://api.example.com/v1?key=secret'],
    ['a fragment', 'https://api.example.com/v1#top'],
    ['another scheme', 'ftp://api.example.com/v1'],
    ['no URL', 'api.example.com/v1'],
  ])('%s is refused', (_, text) => {
    expect(() => parseBase(text, false)).toThrowError(expect.objectContaining({ code: 'FETTLE_PIPELINE_URL', exitCode: 2 }))
    expect(() => parseBase(text, false)).not.toThrowError(/secret/)
  })

  test('http off loopback with `insecure`', () => {
    expect(parseBase('http://api.example.com/v1', true).host).toBe('api.example.com')
  })

  test('paths stay below it with any characters in an id', () => {
    expect(under(base, '/dataCleaning/jobs/7').href).toBe('https://api.example.com/v1/dataCleaning/jobs/7')
    expect(under(new URL('https://h/'), '/x', new URLSearchParams({ jobName: 'a&b=c' })).href).toBe(
      'https://h/x?jobName=a%26b%3Dc',
    )
  })
})

describe('links to a file', () => {
  const own = [
    ['files/7.csv', 'https://api.example.com/v1/files/7.csv'],
    ['/files/7.csv?sig=x', 'https://api.example.com/files/7.csv?sig=x'],
    ['https://api.example.com/elsewhere', 'https://api.example.com/elsewhere'],
    ['HTTPS://API.EXAMPLE.COM:443/x', 'https://api.example.com/x'],
  ] as const
  test.each(own)('%s is the service itself', (text, href) => {
    const url = resolveLink(text, base)
    expect(url.href).toBe(href)
    expect(judgeLink(url, base, FILE_HOSTS)).toBe('service')
  })

  test.each([
    'https://bucket.s3.amazonaws.com/x?X-Amz-Signature=s',
    'https://bucket.s3.eu-west-1.amazonaws.com./x',
    'https://BUCKET.S3.AMAZONAWS.COM/x',
  ])('%s is foreign and allowed', text => {
    expect(judgeLink(resolveLink(text, base), base, FILE_HOSTS)).toBe('foreign')
  })

  // Every form of S11–S13, each with the wide-open host list so that only the rule under test can refuse it.
  test.each([
    'http://bucket.s3.amazonaws.com/x',
    'http://api.example.com/x',
    'https://user:pw@bucket.s3.amazonaws.com/x',
    'https://user@api.example.com/x',
    'file:///etc/passwd',
    'data:text/csv,a',
    'ftp://bucket.s3.amazonaws.com/x',
    'gopher://bucket.s3.amazonaws.com/x',
    'javascript:alert(1)',
    'https://localhost/x',
    'https://localhost./x',
    'https://sub.localhost/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f000001/x',
    'https://0177.0.0.1/x',
    'https://127.1/x',
    'https://0.0.0.0/x',
    'https://10.1.2.3/x',
    'https://172.16.0.1/x',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/x',
    'https://[::1]/x',
    'https://[::]/x',
    'https://[::ffff:127.0.0.1]/x',
    'https://[::ffff:a00:1]/x',
    'https://[fe80::1]/x',
    'https://[fd00::1]/x',
    'https://[64:ff9b::7f00:1]/x',
    'https://[2002:7f00:1::]/x',
    'https://224.0.0.1/x',
    'https://255.255.255.255/x',
  ])('%s is refused', text => {
    const open = ['*.amazonaws.com', new URL(text).host, 'localhost', '*.localhost']
    expect(() => judgeLink(resolveLink(text, base), base, open)).toThrowError(
      expect.objectContaining({ code: 'FETTLE_FILE_LINK', exitCode: 76 }),
    )
  })

  test.each([
    ['another host', 'https://evil.example/x', ['*.amazonaws.com']],
    ['a lookalike', 'https://amazonaws.com.evil.example/x', ['*.amazonaws.com']],
    ['no subdomain', 'https://amazonaws.com/x', ['*.amazonaws.com']],
    ['a glued-on name', 'https://evilamazonaws.com/x', ['*.amazonaws.com']],
    ['another port', 'https://b.amazonaws.com:8443/x', ['*.amazonaws.com']],
    ['nothing allowed', 'https://b.amazonaws.com/x', []],
    ['without a scheme', '//evil.example/x', ['*.amazonaws.com']],
    ['backslashes', '\\\\evil.example\\x', ['*.amazonaws.com']],
  ])('a host that is not listed is refused: %s', (_, text, hosts) => {
    expect(() => judgeLink(resolveLink(text, base), base, hosts)).toThrowError(
      expect.objectContaining({ code: 'FETTLE_FILE_LINK' }),
    )
  })

  test('a listed host and port is allowed', () => {
    expect(judgeLink(new URL('https://files.example:8443/x'), base, ['Files.Example:8443'])).toBe('foreign')
  })

  test('a refusal never shows a signature', () => {
    fc.assert(
      fc.property(fc.constantFrom('https', 'http', 'ftp', 'file'), fc.webPath(), (scheme, path) => {
        const link = `${scheme}://evil.example${path}?sig=canary-signature#canary-signature`
        try {
          judgeLink(resolveLink(link, base), base, FILE_HOSTS)
        } catch (error) {
          expect(String(error)).not.toContain('canary')
          return
        }
        throw new Error('it should have been refused')
      }),
    )
  })

  test('a text that is not a link', () => {
    expect(() => resolveLink('https://[', base)).toThrowError(expect.objectContaining({ code: 'FETTLE_FILE_LINK' }))
  })
})

describe('addresses', () => {
  test.each(['8.8.8.8', '52.218.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'])('%s is public', address => {
    expect(isPrivateAddress(address)).toBe(false)
  })

  test('text that is not an address is not public', () => {
    expect(isPrivateAddress('example.com')).toBe(true)
  })

  test('a name is judged by the address it leads to, whichever form is asked for', async () => {
    for (const all of [true, false]) {
      const error = await new Promise<unknown>(resolve => lookupPublic('localhost', { all }, resolve))
      expect(error).toMatchObject({ code: 'FETTLE_FILE_LINK' })
    }
    const given = await new Promise(resolve => lookupPublic('8.8.8.8', { all: false }, (_, address) => resolve(address)))
    expect(given).toBe('8.8.8.8')
    const list = await new Promise(resolve => lookupPublic('8.8.8.8', { all: true }, (_, address) => resolve(address)))
    expect(list).toEqual([{ address: '8.8.8.8', family: 4 }])
  })
})
