/** The receivers of a pipeline's messages, with their addresses and secrets: kept in memory only, like credentials. */
import type { Pipeline, Secrets } from '../../../pipeline/index.ts'

export interface Receiver extends Omit<Pipeline['notify'][number], 'to' | 'secret'> {
  readonly pipeline: string
  /** The full address. */
  readonly to: string
  /** What messages show of it. */
  readonly shown: string
  readonly secret: string | null
}

/** One with an empty address is switched off. */
export const receiversOf = ({ name, notify }: Pipeline, secrets: Secrets): readonly Receiver[] =>
  notify.flatMap((one, index) => {
    const { to = '', secret = null } = secrets.notify[index] ?? {}
    return to === '' ? [] : [{ ...one, pipeline: name, to, shown: `${one.to} (${one.as})`, secret }]
  })
