/** Spans of real runs, in a tracer provider in memory: one tree, stable names, errors; nothing is loaded without a provider. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resume, run } from '../../../src/index.ts'
import { type Place, place } from '../../support/place.ts'
import { BINARY } from '../../system/cli/fettle.ts'
import { scripted } from '../../system/cli/servers.ts'

const TRACE = 'ab'.repeat(16)
const PARENT = 'cd'.repeat(8)
const exporter = new InMemorySpanExporter()
let here: Place

beforeEach(() => {
  here = place()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
})
afterEach(() => {
  trace.disable()
  exporter.reset()
  here.leave()
})

const named = (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter(span => span.name === name)
const parentOf = (span: ReadableSpan | undefined): string | undefined => span?.parentSpanContext?.spanId

test('creates a span for the run, each stage and each request, below TRACEPARENT', async () => {
  const report = await run(here.pipeline(), here.options({ TRACEPARENT: `00-${TRACE}-${PARENT}-01` }))
  const [root] = named('fettle.run')
  expect(parentOf(root)).toBe(PARENT)
  expect(root?.attributes).toEqual({
    'fettle.pipeline': 'small',
    'fettle.rows': 2,
    'fettle.jobs': 1,
    'fettle.run.id': report.metadata.runId,
    'fettle.resumed': false,
    'fettle.rows.matched': report.totals.matched,
    'fettle.rows.review': report.totals.review,
    'fettle.rows.unmatched': report.totals.unmatched,
    'fettle.rows.failed': 0,
    'fettle.status': 'warn',
    'fettle.exit_code': 0,
  })
  const stages = ['create', 'upload', 'map', 'submit', 'match', 'enrich', 'download']
  for (const stage of stages) {
    const spans = named(`fettle.stage.${stage}`)
    expect(spans, stage).toHaveLength(1)
    expect(parentOf(spans[0])).toBe(root?.spanContext().spanId)
    expect(spans[0]?.attributes['fettle.requests']).toBeGreaterThanOrEqual(0)
  }
  for (const [operation, stage] of [
    ['createJob', 'create'],
    ['upload', 'upload'],
    ['enrich', 'enrich'],
    ['openEnrichedFile', 'download'],
  ]) {
    const spans = named(`fettle.request.${operation}`)
    expect(spans, operation).toHaveLength(1)
    expect(spans[0]).toMatchObject({ kind: SpanKind.CLIENT, attributes: { 'fettle.operation': operation } })
    expect(parentOf(spans[0])).toBe(named(`fettle.stage.${stage}`)[0]?.spanContext().spanId)
  }
  const all = exporter.getFinishedSpans()
  expect(new Set(all.map(span => span.spanContext().traceId))).toEqual(new Set([TRACE]))
  expect(report.metadata.traceId).toBe(TRACE)
  expect(all.every(span => span.ended && span.status.code !== SpanStatusCode.ERROR)).toBe(true)
  expect(JSON.stringify(all.map(({ name, attributes, status }) => [name, attributes, status]))).not.toMatch(/Nobody|Harrow/)
})

test('a request belongs to its stage while several stages run at once', async () => {
  here.write('in.csv', `name,country\n${Array.from({ length: 4 }, (_, n) => `Nobody ${n} Ltd,GB`).join('\n')}\n`)
  await run(here.pipeline({ job: { split: 1, concurrency: 2 } }), here.options())
  const stageOf = (span: ReadableSpan): string | undefined =>
    exporter
      .getFinishedSpans()
      .find(one => one.spanContext().spanId === parentOf(span))
      ?.name.replace('fettle.stage.', '')
  const stagesOf = (operation: string): Set<string | undefined> => new Set(named(`fettle.request.${operation}`).map(stageOf))
  expect(stagesOf('createJob')).toEqual(new Set(['create']))
  expect(stagesOf('setMappings')).toEqual(new Set(['map']))
  expect([...stagesOf('readJob')]).toEqual(expect.arrayContaining(['upload', 'match']))
  expect(stagesOf('readJob')).not.toContain('create')
  // One request each: what the others ask meanwhile is counted with them.
  for (const stage of ['map', 'submit'])
    expect(named(`fettle.stage.${stage}`)[0]?.attributes['fettle.requests'], stage).toBe(
      exporter.getFinishedSpans().filter(span => span.name.startsWith('fettle.request.') && stageOf(span) === stage).length,
    )
})

test('passes the span of the run to the service; a run without a caller has a new trace', async () => {
  const service = await scripted('matchingError')
  const env = { FETTLE_URL: service.url, FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' }
  await expect(run(here.pipeline(), here.options(env))).rejects.toMatchObject({ code: 'FETTLE_JOB_FAILED' })
  const [root] = named('fettle.run')
  const { traceId, spanId } = root!.spanContext()
  expect(new Set(service.traces)).toEqual(new Set([`00-${traceId}-${spanId}-01`]))
  expect(root).toMatchObject({ status: { code: SpanStatusCode.ERROR }, attributes: { 'fettle.error.code': 'FETTLE_JOB_FAILED' } })
  expect(named('fettle.stage.match')[0]).toMatchObject({ attributes: { 'fettle.error.code': 'FETTLE_JOB_FAILED' } })
  expect(parentOf(root)).toBeUndefined()
})

test('the registered object is used in any version; a note names the reason when nothing is traced', async () => {
  const api = globalThis as { [key: symbol]: object | undefined }
  const key = Symbol.for('opentelemetry.js.api.1')
  const registered = api[key]
  const traceparent = { TRACEPARENT: `00-${TRACE}-${PARENT}-01` }
  const notes: string[] = []
  const onNote = (text: string) => void notes.push(text)
  try {
    api[key] = { ...registered, version: '1.99.0' }
    await run(here.pipeline(), { ...here.options(traceparent), onNote })
    expect(named('fettle.run').map(parentOf)).toEqual([PARENT])
    expect(notes.filter(note => note.includes('spans'))).toEqual([])
    exporter.reset()
    api[key] = undefined
    await run(here.pipeline(), { ...here.options(traceparent), onNote, fresh: true })
    expect(notes).toContainEqual(expect.stringContaining('this process has registered no OpenTelemetry'))
    expect(exporter.getFinishedSpans()).toEqual([])
  } finally {
    api[key] = registered
  }
})

test('a resumed run has another span with the same names', async () => {
  const stop = new AbortController()
  const stopper = { name: 'stopper', onEvent: ({ type }: { type: string }) => type === 'job.created' && stop.abort() }
  await expect(run(here.pipeline(), { ...here.options(), signal: stop.signal, reporters: [stopper] })).rejects.toThrow()
  await resume(undefined, here.options())
  expect(named('fettle.run').map(({ attributes }) => [attributes['fettle.status'], attributes['fettle.resumed']])).toEqual([
    ['cancelled', false],
    ['warn', true],
  ])
})

test('loads nothing without a provider, also in the command line', async () => {
  trace.disable()
  const report = await run(here.pipeline(), here.options())
  expect(report.metadata.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(exporter.getFinishedSpans()).toEqual([])
  here.write('p.yml', 'name: p\ninput: in.csv\nmappings: {name: name}\n')
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', toldOf('node:fs', '@opentelemetry/api'), BINARY, 'run', 'p.yml', '-q'],
    {
      cwd: here.folder,
      env: { FETTLE_DATA: `${here.folder}/data`, FETTLE_REGISTER: 'sample', PATH: process.env.PATH },
    },
  )
  expect(new Set(stderr.trim().split('\n'))).toEqual(new Set(['asked for node:fs']))
})

/** A module that tells on stderr when one of these packages is asked for. */
function toldOf(...names: readonly string[]): string {
  const data = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`
  const hooks = `export async function resolve(name, context, next) {
    if (${JSON.stringify(names)}.includes(name)) process._rawDebug('asked for ' + name)
    return next(name, context)
  }`
  return data(`import { register } from 'node:module'; register(${JSON.stringify(data(hooks))})`)
}
