/** Checks the base address of the service: faults P25 and P26. */
import { nearest } from '../../nearest.ts'

/** The base address without trailing slash, or the code and the reason of the refusal. The address itself is never repeated. */
export type ServiceUrl =
  | { readonly url: string }
  | { readonly code: 'FETTLE_PIPELINE_URL'; readonly problem: string; readonly hint?: string }

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

export function checkServiceUrl(text: string, insecure: boolean): ServiceUrl {
  const refuse = (problem: string, hint?: string): ServiceUrl => ({ code: 'FETTLE_PIPELINE_URL', problem, hint })
  // The URL parser drops tabs and line ends silently.
  if (/[\s\u0000-\u001f\u007f\\]/.test(text)) return refuse('contains a space, a backslash or a control character')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const close = nearest(text, ['embedded'])
    return close === null ? refuse('has no scheme') : refuse('has no scheme', `Did you mean ${close}?`)
  }
  if (!URL.canParse(text)) return refuse('is not a valid URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return refuse(`has the scheme ${url.protocol.slice(0, 20)}, not https:`)
  if (url.username !== '' || url.password !== '') {
    return refuse('contains a user name or password', 'Take it out; use FETTLE_USERNAME and FETTLE_PASSWORD.')
  }
  if (text.includes('?') || text.includes('#')) return refuse('has a query or a fragment')
  if (!/\/v\d+\/?$/.test(url.pathname)) return refuse('does not end in a version, such as /v1')
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname)) {
    const hint = 'Use https://, or set service.insecure: true if it must be.'
    return refuse('is http://, which would show the password to the network', hint)
  }
  return { url: url.href.replace(/\/$/, '') }
}
