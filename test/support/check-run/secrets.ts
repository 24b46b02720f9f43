/** I5: no secret in any file or output of a run, in any encoding. A violation names place and encoding, never the secret. */
import { readFileSync } from 'node:fs'
import type { Violation } from './violation.ts'

/** Text in base64 wherever it begins in a longer text: the characters that depend on it alone, for each of the three beginnings. */
function base64Cores(secret: string): string[] {
  return [0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
      .toString('base64')
      .replace(/=+$/, '')
    const bits = (before + Buffer.byteLength(secret)) * 8
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
  })
}

const percent = (text: string): string => [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** The dresses of a secret, by name. Those too short to prove anything are left out. */
export function dressesOf(secret: string): ReadonlyMap<string, string> {
  const cores = base64Cores(secret)
  const dresses: [string, string][] = [
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['form-encoded', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['percent-encoded', percent(secret)],
    ['escaped for JSON', JSON.stringify(secret).slice(1, -1)],
    [
      'escaped for HTML',
      secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    ],
    ['in hex', Buffer.from(secret).toString('hex')],
    ['reversed', [...secret].reverse().join('')],
    ...cores.map((core): [string, string] => ['in base64', core]),
    ...cores.map((core): [string, string] => ['in base64url', core.replaceAll('+', '-').replaceAll('/', '_')]),
  ]
  const seen = new Map<string, string>()
  for (const [name, text] of dresses) if (text.length >= 6 && !seen.has(text)) seen.set(text, name)
  return seen
}

/** What there is to judge. */
export interface SecretEvidence {
  readonly secrets: readonly string[]
  readonly files: readonly string[]
  /** What was said: stdout, stderr, logs. */
  readonly said: readonly string[]
}

/** Judges. Throws when a secret is so short that finding it would prove nothing. */
export function checkSecrets({ secrets, files, said }: SecretEvidence): Violation[] {
  const short = secrets.findIndex(secret => secret.length < 8)
  if (short !== -1) throw new RangeError(`secret ${short} has under 8 characters: finding it would prove nothing`)
  const places: [string, () => string][] = [
    ...files.map((path): [string, () => string] => [path, () => `${path}\n${readFileSync(path, 'latin1')}`]),
    ...said.map((text, at): [string, () => string] => [`said[${at}]`, () => Buffer.from(text).toString('latin1')]),
  ]
  const wanted = secrets.flatMap((secret, number) =>
    [...dressesOf(secret)].map(([text, dress]) => ({ number, dress, text: Buffer.from(text).toString('latin1').toLowerCase() })),
  )
  return places.flatMap(([place, read]) => {
    const text = read().toLowerCase()
    return wanted
      .filter(one => text.includes(one.text))
      .map(({ number, dress }) => ({ invariant: 'I5' as const, what: `secret ${number} stands ${dress} in ${place}` }))
  })
}
