/**
 * JSONP, which old clients still ask for: an answer as a call in a script. A script of any page may ask for it, and no origin is told:
 * so only pages of this machine get one. It knows no answer.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isOwnHost } from '../http/guard.ts'
import { badRequest, Refusal } from '../refusal.ts'

const NAME = /^[A-Za-z_$][\w$]*$/

/** Names with dots between them. */
const isCallable = (text: string): boolean => text.split('.').every(name => NAME.test(name))

/** The name of the function to call, null for a plain answer. Throws a 400 for anything that is not the name of a function. */
export function callbackOf(callback: unknown, longest: number): string | null {
  if (callback === undefined) return null
  if (typeof callback === 'string' && callback.length <= longest && isCallable(callback)) return callback
  throw badRequest('The callback is not acceptable', `callback: must be the name of a function, ${longest} characters at most`)
}

/** Throws a 403 for a script of a page of another machine, as far as the browser tells. */
export function requireOwnPage({ referer, 'sec-fetch-site': site }: IncomingHttpHeaders): void {
  const [, from] = /^https?:\/\/([^/?#]+)/i.exec(referer ?? '') ?? []
  // A page of localhost that asks 127.0.0.1 counts as cross-site, and says where it is from.
  const isOwn = from === undefined ? site !== 'cross-site' && site !== 'same-site' : isOwnHost(from, [])
  if (!isOwn) throw new Refusal(403, 'Access forbidden: unknown page')
}

/** The script: a comment first, so that no other format can be read into the name; line ends that JSON has and scripts did not. */
export const scriptOf = (callback: string, answer: unknown): string =>
  `/**/${callback}(${JSON.stringify(answer).replace(/[\u2028\u2029<]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)});\n`
