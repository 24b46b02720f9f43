/** Messages about the end of a run: forms, signature, receivers that lose, delay and refuse. None of them changes a run. */
import { createHmac } from 'node:crypto'
import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runDoctor } from '../../../src/doctor/doctor.ts'
import { check, type PipelineInput, resume, run } from '../../../src/index.ts'
import { deliver } from '../../../src/observe/notify.ts'
import { testNotice } from '../../../src/report/index.ts'
import { VirtualClock } from '../../../src/testing/index.ts'
import { type Place, place } from '../../support/place.ts'
import { type Answer, bodies, receiver as receiverOf, type Taken } from '../../support/receiver.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const receiver = (...answers: Answer[]): Promise<Taken> => receiverOf(here.atEnd, ...answers)
const signal = new AbortController().signal

function sending(to: string, more: { readonly attemptMs?: number } = {}) {
  const clock = new VirtualClock()
  const target = {
    pipeline: 'small',
    to,
    shown: 'it',
    as: 'cloudevents' as const,
    on: ['fail' as const],
    rows: false,
    secret: 'k',
  }
  const from = clock.now()
  const end = deliver(target, testNotice('small', '2026-01-01T00:00:00.000Z'), { env: {}, clock, signal, ...more })
  return end.then(why => ({ why, waitedMs: clock.now() - from }))
}

describe('a receiver', () => {
  test('gets one message if it accepts it', async () => {
    const service = await receiver()
    expect(await sending(service.url)).toEqual({ why: null, waitedMs: 0 })
    expect(service.requests).toHaveLength(1)
  })

  test('that loses two gets the same message three times, with pauses between', async () => {
    const service = await receiver('lose', 503)
    expect(await sending(service.url)).toEqual({ why: null, waitedMs: 4_000 })
    const ids = service.requests.map(({ headers }) => headers['webhook-id'])
    expect([ids.length, new Set(ids).size, new Set(service.requests.map(({ body }) => body)).size]).toEqual([3, 1, 1])
  })

  test('that never answers is given up after three attempts', async () => {
    const service = await receiver('never', 'never', 'never')
    expect((await sending(service.url, { attemptMs: 50 })).why).toBe('no answer came in time')
    expect(service.requests).toHaveLength(3)
  })

  test('that refuses for good is not asked again', async () => {
    const service = await receiver(404)
    expect(await sending(service.url)).toEqual({ why: 'status 404', waitedMs: 0 })
    expect(service.requests).toHaveLength(1)
  })

  test('may ask for a pause, which is limited to ten seconds', async () => {
    const service = await receiver({ status: 429, retryAfter: '2' }, { status: 429, retryAfter: '3600' })
    expect(await sending(service.url)).toEqual({ why: null, waitedMs: 12_000 })
  })

  test('can verify the signature by the rules of Standard Webhooks', async () => {
    const service = await receiver()
    await sending(service.url)
    const [{ headers, body }] = service.requests as [Taken['requests'][number]]
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', 'k').update(signed).digest('base64')}`)
    expect(headers['content-type']).toBe('application/cloudevents+json')
    expect(JSON.parse(body)).toMatchObject({ specversion: '1.0', type: 'fettle.run.test', source: '/fettle/small' })
  })
})

describe('a run', () => {
  const failing = { checks: { matched: { fail: '< 100%' } } } as const

  test('that fails, then is good: two messages in each form, without rows', async () => {
    const [slack, teams, events] = [await receiver(), await receiver(), await receiver()]
    const notify: PipelineInput['notify'] = [
      { to: '${SLACK_URL}', as: 'slack' },
      { to: '${TEAMS_URL}', as: 'teams' },
      { to: events.url, on: ['fail', 'warn', 'recovered', 'budget', 'review'] },
    ]
    const options = here.options({ SLACK_URL: slack.url, TEAMS_URL: teams.url })
    const report = await run(here.pipeline({ ...failing, notify }), options)
    expect([report.status, report.exitCode]).toEqual(['fail', 1])
    expect(bodies(slack)[0].text).toMatch(/^\*small: Checks failed\*\nCheck failed: matched \d of 2/)
    expect(bodies(teams)[0].attachments[0].content.body[0].inlines[0].text).toBe('small: Checks failed')
    expect(bodies(events)[0]).toMatchObject({
      type: 'fettle.run.fail',
      subject: report.metadata.runId,
      data: { schema: 'fettle/notice/v1', pipeline: 'small', reasons: ['fail'], exitCode: 1, rows: [], totals: { rows: 2 } },
    })

    await run(here.pipeline({ notify }), { ...options, fresh: true })
    await run(here.pipeline({ notify }), { ...options, fresh: true })
    expect(bodies(slack).map(({ text }) => text.split('\n')[0])).toEqual([
      '*small: Checks failed*',
      '*small: good again. Done, with warnings*',
    ])
    expect(bodies(events).map(({ type }) => type)).toEqual(['fettle.run.fail', 'fettle.run.warn', 'fettle.run.warn'])
    expect(bodies(events).map(({ data }) => data.reasons)).toEqual([['fail'], ['warn', 'recovered'], ['warn']])
    const sent = JSON.stringify([slack, teams, events].flatMap(({ requests }) => requests))
    expect(sent).not.toContain('Zyxwv')
  })

  test('keeps its exit code when a receiver refuses, and the warning names the host alone', async () => {
    const service = await receiver(403)
    const notes: string[] = []
    const options = { ...here.options({ URL: service.url }), onNote: (text: string) => void notes.push(text) }
    const report = await run(here.pipeline({ ...failing, notify: [{ to: '${URL}', as: 'slack' }] }), options)
    expect(report.exitCode).toBe(1)
    const { origin } = new URL(service.url)
    expect(notes).toEqual([
      `the reporter notify failed, the run did not: ${origin} (slack) did not accept the message: status 403`,
    ])
    const journal = readFileSync(join('runs', report.metadata.runId, 'journal.jsonl'), 'utf8')
    expect(journal + JSON.stringify(report)).not.toContain('secret-path')
  })

  test('that cannot start because its input is missing is reported, and so is the good one after it', async () => {
    const service = await receiver()
    const options = here.options({ URL: service.url })
    const pipeline = here.pipeline({ notify: [{ to: '${URL}', as: 'cloudevents' }] })
    rmSync('in.csv')
    await expect(run(pipeline, options)).rejects.toThrow('in.csv')
    here.write('in.csv', 'name,country\nHarrow Optics Ltd,GB\n')
    await run(pipeline, options)
    expect(bodies(service).map(({ type, data }) => [type, data.title, data.runId === null])).toEqual([
      ['fettle.run.fail', 'small: did not start', true],
      ['fettle.run.recovered', 'small: good again. Done, with warnings', false],
    ])
  })

  test('may show rows to review where the receiver is to have them', async () => {
    const service = await receiver()
    copyFileSync(join(import.meta.dirname, '../../../samples/suppliers.csv'), 'in.csv')
    const mappings = { name: 'Company Name', town: 'Town', country: 'Country' }
    const pipeline = here.pipeline({ mappings, notify: [{ to: service.url, on: ['review'], rows: true }] })
    const report = await run(pipeline, here.options())
    expect(report.totals.review).toBeGreaterThan(0)
    expect(bodies(service)[0].data.rows.map(({ row }: { row: number }) => row)).toEqual(
      report.results[0]!.review.slice(0, 10).map(({ row }) => row),
    )
  })

  test('stopped by a person sends nothing; the resume that fails does', async () => {
    const service = await receiver()
    here.write('small.json', JSON.stringify(here.pipeline({ ...failing, notify: [{ to: service.url }] })))
    const stop = new AbortController()
    const stopped = run('small.json', { ...here.options(), signal: stop.signal })
    await expect(
      (async () => {
        for await (const { type } of stopped) if (type === 'upload.accepted') stop.abort()
      })(),
    ).rejects.toThrow('stopped by the caller')
    expect(service.requests).toEqual([])
    expect((await resume(undefined, here.options())).status).toBe('fail')
    expect(bodies(service).map(({ type }) => type)).toEqual(['fettle.run.fail'])
  })
})

describe('the doctor', () => {
  const doctor = (env: Record<string, string>) =>
    runDoctor({
      ...{ env: { ...here.options().env, ...env }, cwd: here.folder, runsDir: 'runs', pipeline: 'small.json' },
      ...{ target: null, service: null, queue: null, offline: false, notify: true, signal },
    }).then(found => found.filter(({ name }) => name === 'notify').map(({ status, code, message }) => [status, code, message]))

  test('sends a test message to every receiver, and reports which did not accept it', async () => {
    const [good, bad] = [await receiver(), await receiver(410)]
    here.write('small.json', JSON.stringify(here.pipeline({ notify: [{ to: '${GOOD}', as: 'teams' }, { to: '${BAD}' }] })))
    expect(await doctor({ GOOD: good.url, BAD: bad.url })).toEqual([
      ['ok', null, `${new URL(good.url).origin} (teams) accepted a test message`],
      ['fail', 'FETTLE_NOTIFY', `${new URL(bad.url).origin} (cloudevents) did not accept a test message: status 410`],
    ])
    expect(good.requests[0]?.body).toContain('small: test message')
  })

  test('warns of a pipeline without receivers', async () => {
    here.write('small.json', JSON.stringify(here.pipeline()))
    expect(await doctor({})).toEqual([['warn', null, 'the pipeline has no receiver with an address']])
  })
})

describe('the key', () => {
  test('takes no webhook and no secret as a literal, and repeats neither', async () => {
    const notify: PipelineInput['notify'] = [{ to: 'https://hooks.slack.com/services/T0/B0/abc', as: 'slack', secret: 'literal' }]
    const { issues } = await check(here.pipeline({ notify }), here.options())
    expect(issues.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'FETTLE_PIPELINE_SECRET notify.0.secret: a secret must not stand in the file: expected ${NAME} and nothing else',
      'FETTLE_PIPELINE_SECRET notify.0.to: the address of a webhook must not stand in the file: expected ${NAME} and nothing else',
    ])
  })

  test.each(['ftp://host/x', 'http://host/x', 'https://user:pw@host/x', 'host'])('refuses %s', async address => {
    const { issues } = await check(here.pipeline({ notify: [{ to: '${URL}' }] }), here.options({ URL: address }))
    expect(issues.map(({ message }) => message)).toEqual([
      'notify.0.to: expected an https:// address without user name, or nothing, found another value',
    ])
  })

  test('an empty address switches a receiver off', async () => {
    const pipeline = here.pipeline({ notify: [{ to: '${URL:-}', as: 'slack' }] })
    expect((await run(pipeline, here.options())).exitCode).toBe(0)
  })

  test('names an unknown key of a receiver', async () => {
    const notify = [{ to: 'https://host/x', frm: 'a' }] as never
    const { issues } = await check(here.pipeline({ notify }), here.options())
    expect(issues[0]?.message).toBe('"frm" is not part of notify.0')
  })
})
