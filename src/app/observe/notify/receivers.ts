/** The receivers of a pipeline's messages, with their addresses and secrets: kept in memory only, like credentials. */
import { FettleError } from '../../../errors.ts'
import type { Pipeline, Secrets } from '../../../pipeline/index.ts'

export interface Receiver extends Omit<Pipeline['notify'][number], 'to' | 'secret'> {
  readonly pipeline: string
  /** The full address. */
  readonly to: string
  /** What messages show of it. */
  readonly shown: string
  readonly secret: string | null
}

/** The bytes that messages are signed with. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)

/** One with an empty address is switched off. */
export const receiversOf = ({ name, notify }: Pipeline, secrets: Secrets): readonly Receiver[] =>
  notify.flatMap((one, index) => {
    const { to = '', secret = null } = secrets.notify[index] ?? {}
    if (to !== '' && secret !== null && signingKey(secret).length === 0)
      throw new FettleError(
        'FETTLE_SETTINGS',
        `the secret of the receiver ${one.to} (${one.as}) is empty: messages would be signed with nothing`,
        {
          hint: 'Set the variable of notify.secret to the key, after whsec_ in base64.',
        },
      )
    return to === '' ? [] : [{ ...one, pipeline: name, to, shown: `${one.to} (${one.as})`, secret }]
  })
