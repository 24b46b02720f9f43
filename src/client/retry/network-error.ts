/** Classifies a failed exchange by the code of its error, and whether the request can have been sent. */

/** `noProxy`: no connection to the proxy; `proxy`: the proxy refuses our credentials. */
export type NetworkErrorKind =
  | 'noName'
  | 'unreachable'
  | 'connectTimeout'
  | 'tls'
  | 'noProxy'
  | 'proxy'
  | 'reset'
  | 'timeout'
  | 'tooLarge'

/** An exchange without a usable reply; `sent` is false when the request was certainly not sent. */
export interface NetworkError {
  readonly kind: NetworkErrorKind
  readonly sent: boolean
  readonly text: string
}

const TLS =
  // Node reports a weak signature as UNSPECIFIED.
  /^(?:ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|ERROR_IN_CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|UNSPECIFIED$|EPROTO)/

export class ProxyFailure extends Error {
  readonly host: string
  readonly code = 'FETTLE_PROXY'
  constructor(host: string, cause: unknown) {
    super('no connection to the proxy', { cause })
    this.host = host
  }
}

const readReason = (message: string): string => /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1] ?? message

const readCode = (error: unknown, key: 'code' | 'syscall' | 'name'): string => {
  const value = (error as Record<string, unknown> | null | undefined)?.[key]
  return typeof value === 'string' ? value : ''
}

// After attempts at several addresses, the first failure is reported.
const innermost = (error: unknown): unknown => {
  const inner = (error as { errors?: unknown[] } | null)?.errors?.[0]
  return inner ?? error
}

const makeError = (kind: NetworkErrorKind, sent: boolean, text: string): NetworkError => ({ kind, sent, text })

/** `proxy`: host and port of the proxy that the request went through. */
export function readNetworkError(thrown: unknown, host = 'the server', proxy: string | null = null): NetworkError {
  const atProxy = thrown instanceof ProxyFailure ? thrown : null
  const error = innermost(atProxy?.cause ?? thrown)
  const code = readCode(error, 'code')
  const syscall = readCode(error, 'syscall')
  const message = error instanceof Error ? error.message : ''
  const refusal = /^Proxy response \((\d{3})\)/.exec(message)?.[1]
  // 407 is about our credentials; any other refusal to connect is a network error.
  if (refusal !== undefined) {
    const who = proxy === null ? 'the proxy' : `the proxy ${proxy}`
    return makeError(refusal === '407' ? 'proxy' : 'unreachable', false, `${who} answered ${refusal}`)
  }
  if (atProxy !== null && !TLS.test(code))
    return makeError('noProxy', false, `no connection to the proxy ${atProxy.host} (${code || message})`)
  if (code === 'ENOTFOUND') return makeError('noName', false, 'there is no host of that name')
  if (syscall === 'getaddrinfo') return makeError('unreachable', false, `the name of the host cannot be looked up (${code})`)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || (syscall === 'connect' && code === 'ETIMEDOUT'))
    return makeError('connectTimeout', false, 'no connection came about in time')
  if (TLS.test(code)) {
    const whom = atProxy === null ? host : `the proxy ${atProxy.host}`
    return makeError('tls', false, `TLS with ${whom} failed: ${readReason(message)} (${code})`)
  }
  if (syscall === 'connect') return makeError('unreachable', false, `the connection was not accepted (${code})`)
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return makeError('tooLarge', true, 'the answer is larger than allowed')
  const way = proxy === null ? '' : ` through the proxy ${proxy}`
  if (/^UND_ERR_(?:HEADERS|BODY)_TIMEOUT$/.test(code) || readCode(error, 'name') === 'TimeoutError' || code === 'ETIMEDOUT')
    return makeError('timeout', true, `no answer came in time${way}`)
  return makeError('reset', true, `the connection${way} broke off (${code || message})`)
}
