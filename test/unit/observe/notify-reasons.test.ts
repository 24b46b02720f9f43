/** Each reason for a message, in each form, to receivers that lose the first attempt, delay it, and refuse; the run ends as it would without. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type PipelineInput, type Report, run } from '../../../src/index.ts'
import { deliver } from '../../../src/observe/notify.ts'
import { testNotice } from '../../../src/report/index.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { companyAt, listOf, monitored } from '../../support/monitored.ts'
import { type Place, place } from '../../support/place.ts'
import { type Answer, bodies, receiver, type Taken } from '../../support/receiver.ts'

const FORMS = ['slack', 'teams', 'cloudevents'] as const
type Form = (typeof FORMS)[number]
type Reason = 'fail' | 'warn' | 'recovered' | 'budget' | 'review' | 'events'
type Run = (more: Partial<PipelineInput>, env: Record<string, string>, onNote: (text: string) => void) => Promise<Report>

const endings: (() => unknown)[] = []
const atEnd = (end: () => unknown): void => void endings.push(end)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

function here(): Place {
  const found = place()
  atEnd(() => found.leave())
  return found
}

/** A run over the list that a place has, or over the sample of suppliers. */
function small(list: 'own' | 'samples'): Run {
  const at = here()
  if (list === 'samples') copyFileSync(join(import.meta.dirname, '../../../samples/suppliers.csv'), 'in.csv')
  const mappings = list === 'own' ? {} : { mappings: { name: 'Company Name', town: 'Town', country: 'Country' } }
  return (more, env, onNote) => run(at.pipeline({ ...mappings, ...more }), { ...at.options(env), fresh: true, onNote })
}

const FAILING = { checks: { matched: { fail: '< 100%' } } } as const

/** The run that is a reason, and the exit code that it has. */
const REASONS: Readonly<Record<Reason, () => Promise<readonly [Run, number]>>> = {
  fail: async () => {
    const start = small('own')
    return [(more, ...rest) => start({ ...FAILING, ...more }, ...rest), 1]
  },
  warn: async () => [small('own'), 0],
  recovered: async () => {
    const start = small('own')
    return [
      async (more, ...rest) => {
        await start({ ...FAILING, ...more }, ...rest)
        return start(more, ...rest)
      },
      0,
    ]
  },
  budget: async () => {
    const start = small('samples')
    return [(more, ...rest) => start({ budget: { credits: 1 }, ...more }, ...rest), 1]
  },
  review: async () => [small('samples'), 0],
  events: async () => {
    const companies = [1, 2, 3].map(companyAt)
    const service = await monitored(companies)
    atEnd(() => service.close())
    const cwd = join(service.folder, 'project')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'in.csv'), listOf(companies))
    const watched = {
      portfolio: { name: 'Watched', reference: 'ref', rules: { XX: [105] }, sync: true },
      events: { since: 'last', output: 'events.csv', mark: true },
    } satisfies Partial<PipelineInput>
    await run(service.pipeline(watched), { cwd, env: service.env })
    await service.importCompanies(
      companies.map(one => ({ ...one, town: 'York' })),
      2,
    )
    return [
      (more, env, onNote) => run(service.pipeline({ ...watched, ...more }), { cwd, env: { ...service.env, ...env }, onNote }),
      0,
    ]
  },
}

const HAZARDS: readonly (readonly [string, Answer, number])[] = [
  ['loses the first', 'lose', 2],
  ['delays the first', { status: 429, retryAfter: '0' }, 2],
  ['refuses', 403, 1],
]

const titleIn: Readonly<Record<Form, (body: never) => string>> = {
  slack: ({ text }: { text: string }) => text.split('\n')[0]!.replaceAll('*', ''),
  teams: ({ attachments }: { attachments: { content: { body: { inlines: { text: string }[] }[] } }[] }) =>
    attachments[0]!.content.body[0]!.inlines[0]!.text,
  cloudevents: ({ data }: { data: { title: string } }) => data.title,
}

test.each(Object.keys(REASONS) as Reason[])('%s: one message in each form, and the same exit code', async reason => {
  const [start, exitCode] = await REASONS[reason]()
  const turn = Object.keys(REASONS).indexOf(reason)
  const receivers: { form: Form; taken: Taken; hazard: (typeof HAZARDS)[number] }[] = []
  for (const [at, form] of FORMS.entries()) {
    const hazard = HAZARDS[(at + turn) % HAZARDS.length]!
    receivers.push({ form, hazard, taken: await receiver(atEnd, hazard[1]) })
  }
  const others = await receiver(atEnd)
  const notes: string[] = []
  const notify = [
    ...receivers.map(({ form }) => ({ to: `\${${form.toUpperCase()}}`, as: form, on: [reason] })),
    { to: '${OTHERS}', on: (Object.keys(REASONS) as Reason[]).filter(one => one !== reason) },
  ]
  const env = Object.fromEntries(receivers.map(({ form, taken }) => [form.toUpperCase(), taken.url]))
  const report = await start({ notify }, { ...env, OTHERS: others.url }, text => void notes.push(text))
  expect(report.exitCode).toBe(exitCode)
  for (const { form, hazard, taken } of receivers) {
    const sent = bodies(taken)
    expect([reason, form, hazard[0], sent.length]).toEqual([reason, form, hazard[0], hazard[2]])
    expect(new Set(sent.map(one => JSON.stringify(one))).size).toBe(1)
    expect(titleIn[form](sent[0] as never)).toMatch(/^\w+: \S/)
    if (form === 'cloudevents')
      expect(sent[0]).toMatchObject({ type: `fettle.run.${reason}`, data: { reasons: [reason], exitCode, rows: [] } })
    if (form === 'slack' && reason === 'events') expect(sent[0].text).toContain('3 moved')
  }
  // The reasons of the others are never this one.
  for (const { data } of bodies(others)) expect(data.reasons).not.toContain(reason)
  const refusing = receivers.filter(({ hazard }) => hazard[1] === 403).map(({ form }) => form)
  expect(notes.join()).toContain(`(${refusing[0]}) did not accept the message: status 403`)
})

describe.each(FORMS)('%s', as => {
  test.each<readonly [string, readonly Answer[], boolean, number]>([
    ['loses two attempts', ['lose', 503], true, 3],
    [
      'asks for pauses',
      [
        { status: 429, retryAfter: '2' },
        { status: 503, retryAfter: '1' },
      ],
      true,
      3,
    ],
    ['never answers', ['never', 'never', 'never'], false, 3],
    ['loses all attempts', ['lose', 'lose', 'lose'], false, 3],
    ['refuses', [404], false, 1],
  ])('a receiver that %s', async (_, answers, isAccepted, attempts) => {
    const taken = await receiver(atEnd, ...answers)
    const to = { pipeline: 'small', to: taken.url, shown: 'it', as, on: ['fail' as const], rows: false, secret: 'k' }
    const context = { env: {}, clock: new VirtualClock(), signal: new AbortController().signal, attemptMs: 200 }
    const found = await deliver(to, testNotice('small', '2026-01-01T00:00:00.000Z'), context)
    expect([found === null, taken.requests.length]).toEqual([isAccepted, attempts])
    expect(new Set(taken.requests.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1)
  })
})
