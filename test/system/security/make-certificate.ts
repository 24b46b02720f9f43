/** Makes certificates for tests, valid and invalid: X.509 version 3 as DER. */
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const DAY = 86_400_000

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts)
const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap(part => {
    const digits = [part & 0x7f]
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return tlv(0x06, Buffer.from([first * 40 + second, ...bytes]))
}
const time = (ms: number): Buffer => tlv(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')}`))
const name = (common: string): Buffer => sequence(tlv(0x31, sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(common)))))
const bits = (bytes: Uint8Array): Buffer => tlv(0x03, Buffer.from([0]), bytes)
const extension = (id: string, value: Uint8Array): Buffer => sequence(oid(id), tlv(0x04, value))

const SIGNATURES = {
  ec: { sha256: '1.2.840.10045.4.3.2', sha1: '1.2.840.10045.4.1', md5: '' },
  rsa: { sha256: '1.2.840.113549.1.1.11', sha1: '1.2.840.113549.1.1.5', md5: '1.2.840.113549.1.1.4' },
} as const

/** Who signs. */
export interface Issuer {
  readonly common: string
  readonly key: KeyObject
}

/** What a certificate says; what is left out is good for this machine and today. */
export interface Wanted {
  readonly common?: string
  /** Names and addresses; none for a certificate that has its common name alone. */
  readonly names?: readonly string[]
  readonly from?: number
  readonly to?: number
  /** Itself if absent. */
  readonly issuer?: Issuer
  readonly isAuthority?: boolean
  readonly key?: KeyObject
  readonly hash?: 'sha256' | 'sha1' | 'md5'
}

/** A new key. */
export const newKey = (rsaBits?: number): KeyObject =>
  (rsaBits === undefined
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: rsaBits })
  ).privateKey

let serial = 1

/** A certificate, and the key it is for, both as PEM. */
export function certificate(wanted: Wanted): { readonly cert: string; readonly key: string; readonly issuer: Issuer } {
  const {
    common = 'leaf',
    names = ['127.0.0.1', 'localhost'],
    from = -DAY,
    to = DAY,
    hash = 'sha256',
    isAuthority = false,
  } = wanted
  const key = wanted.key ?? newKey()
  const signer = wanted.issuer ?? { common, key }
  const kind = signer.key.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec'
  const algorithm = sequence(oid(SIGNATURES[kind][hash]), ...(kind === 'rsa' ? [tlv(0x05)] : []))
  const alternatives = names.map(one =>
    /^\d+(?:\.\d+){3}$/.test(one) ? tlv(0x87, Buffer.from(one.split('.').map(Number))) : tlv(0x82, Buffer.from(one)),
  )
  const extensions = [
    ...(isAuthority ? [extension('2.5.29.19', sequence(tlv(0x01, Buffer.from([0xff]))))] : []),
    ...(names.length > 0 && !isAuthority ? [extension('2.5.29.17', sequence(...alternatives))] : []),
  ]
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([serial++])),
    algorithm,
    name(signer.common),
    sequence(time(Date.now() + from), time(Date.now() + to)),
    name(common),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [tlv(0xa3, sequence(...extensions))] : []),
  )
  const der = sequence(content, algorithm, bits(sign(hash, content, signer.key)))
  const pem = der.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`,
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    issuer: { common, key },
  }
}
