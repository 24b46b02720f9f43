/** Selects the proxy for a request. */
import { isLoopback } from './links.ts'

/** Proxies by the scheme of the requested address: http:// or https:// URLs, with or without credentials. */
export interface Proxies {
  readonly https: string | null
  readonly http: string | null
  /** Hosts that are reached directly, as NO_PROXY lists them: `host`, `host:port`, `.domain`, or `*` for all. */
  readonly except: readonly string[]
  /** Also for loopback, which is reached directly otherwise. */
  readonly loopback?: boolean
}

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80')

function isExcepted(url: URL, entry: string): boolean {
  if (entry === '*') return true
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  if (port !== undefined && port !== portOf(url)) return false
  const host = url.hostname.replace(/\.$/, '')
  const wanted = name.replace(/^\*?\./, '')
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`))
}

/** The proxy for an address, null when it is reached directly. A name in `except` includes its subdomains, as in curl. */
export function proxyFor(url: URL, proxies: Proxies): string | null {
  if (isLoopback(url) && proxies.loopback !== true) return null
  if (proxies.except.some(entry => isExcepted(url, entry))) return null
  return url.protocol === 'https:' ? proxies.https : proxies.http
}
