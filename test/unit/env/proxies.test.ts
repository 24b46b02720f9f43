/** The proxy settings of the environment, for a remote service and its files. */
import { expect, test } from 'vitest'
import { findProxies } from '../../../src/env/environment.ts'
import { FettleError } from '../../../src/errors.ts'

test.each([
  ['nothing is set', {}, { https: null, http: null, except: [] }],
  ['empty is not set', { HTTPS_PROXY: '', http_proxy: '', NO_PROXY: '' }, { https: null, http: null, except: [] }],
  [
    'each has its own',
    { HTTPS_PROXY: 'http://a:1', HTTP_PROXY: 'https://b:2' },
    { https: 'http://a:1', http: 'https://b:2', except: [] },
  ],
  [
    'written small it wins',
    { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2' },
    { https: 'http://b:2', http: null, except: [] },
  ],
  ['a bare host is http', { HTTP_PROXY: 'proxy.example:3128' }, { https: null, http: 'http://proxy.example:3128', except: [] }],
  ['commas and spaces part exceptions', { NO_PROXY: ' a, .b  c:1,,' }, { https: null, http: null, except: ['a', '.b', 'c:1'] }],
])('%s', (_, env, proxies) => {
  expect(findProxies(env)).toEqual(proxies)
})

test.each(['socks5://me:canary@proxy:1', 'ftp://canary', 'http://', '://canary'])(
  '%s is refused, by name and not by value',
  value => {
    try {
      findProxies({ HTTPS_PROXY: value })
      expect.unreachable()
    } catch (error) {
      expect(FettleError.is(error) && error.code).toBe('FETTLE_SETTINGS')
      expect((error as Error).message).toContain('HTTPS_PROXY')
      expect((error as Error).message).not.toContain('canary')
    }
  },
)
