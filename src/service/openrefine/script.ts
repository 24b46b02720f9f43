/**
 * JSONP for old clients: the answer as a function call in a script. Any page can load a script and no origin is sent, so only
 * pages of this machine get one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isOwnHost } from '../http/guard.ts'
import { badRequest, Refusal } from '../refusal.ts'

const NAME = /^[A-Za-z_$][\w$]*$/

const isCallable = (text: string): boolean => text.split('.').every(name => NAME.test(name))

/** The function to call; null for a plain answer. Throws a 400 for an invalid function name. */
export function callbackOf(callback: unknown, longest: number): string | null {
  if (callback === undefined) return null
  if (typeof callback === 'string' && callback.length <= longest && isCallable(callback)) return callback
  throw badRequest('The callback is not acceptable', `callback: must be the name of a function, ${longest} characters at most`)
}

/** Throws a 403 when the browser reports that the page belongs to another machine. */
export function requireOwnPage({ referer, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  const [, from] = /^https?:\/\/([^/?#]+)/i.exec(referer ?? '') ?? []
  // A page of localhost that requests 127.0.0.1 counts as cross-site, but sends a referer.
  const isOwn = from === undefined ? site !== 'cross-site' && site !== 'same-site' : isOwnHost(from, [])
  if (!isOwn) throw new Refusal(403, 'Access forbidden: unknown page')
}

/** Starts with a comment, so that no browser reads the name as another file format; escapes line ends that old scripts lack. */
export const scriptOf = (callback: string, answer: unknown): string =>
  `/**/${callback}(${JSON.stringify(answer).replace(/[\u2028\u2029<]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)});\n`
