/** The key `notify`: whom a run reports its end to. Addresses and secrets are credentials: the pipeline holds only the host. */
import { z } from 'zod'
import { flag, listOf, map, orNull, text } from './forms.ts'
import { isLoopback } from './service-url.ts'

/** What a message can be about. */
const NOTIFY_REASONS = ['fail', 'warn', 'recovered', 'budget', 'review', 'events'] as const
/** The forms of a message. */
const NOTIFY_FORMS = ['slack', 'teams', 'cloudevents'] as const

const ADDRESS = 'an https:// address without user name, or nothing'

function isReceiver(address: string): boolean {
  if (address === '') return true
  if (/[\s\u0000-\u001f\u007f\\]/.test(address) || !URL.canParse(address)) return false
  const { protocol, hostname, username, password, hash } = new URL(address)
  if (username !== '' || password !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** The host alone: path and query of a webhook are its password. */
const shownReceiver = (address: string): string => (address === '' ? '' : new URL(address).origin)

const receiver = map({
  to: z
    .string({ error: ADDRESS })
    .max(2000, { error: ADDRESS })
    .refine(isReceiver, { error: ADDRESS })
    .transform(shownReceiver)
    .describe('The address that takes a POST; for slack and teams one ${NAME} and nothing else. Empty: nothing is sent.'),
  as: z.enum(NOTIFY_FORMS).prefault('cloudevents').describe('The form of the message.'),
  on: listOf(z.enum(NOTIFY_REASONS), `a list of ${NOTIFY_REASONS.join(', ')}`, 1, 20)
    .prefault(['fail', 'recovered'])
    .transform(given => [...new Set(given)])
    .describe('What is reported.'),
  secret: orNull(text('a secret'))
    .transform((): null => null)
    .describe('One ${NAME} and nothing else: the key that messages are signed with.'),
  rows: flag().prefault(false).describe('Whether a message may have rows to review, as `report` allows.'),
})

export const notify = listOf(receiver, 'a list of receivers, such as { to: "${SLACK_URL}", as: slack }', 0, 20)
