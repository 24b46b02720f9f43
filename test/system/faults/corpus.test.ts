/**
 * Invalid bodies in place of every answer of the service: each run gets one body in each of its requests and must succeed, or
 * end with 75 or 76 without a crash and then finish with one job. CORPORA names a folder with the JSONTestSuite, whose invalid
 * files are added.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FaultInput, startFaultServer } from '../../../src/testing/index.ts'
import { runs, sampled } from '../../support/runs.ts'
import { type BadConnections, openBadConnections } from './connections.ts'
import { prepareStart } from './run-here.ts'
import { openScene, type Scene } from './scene.ts'
import { sideBySide } from './side-by-side.ts'

/** Requests of a run by stage; listing jobs and reading one come about by the faults of the others. */
const STAGES = {
  login: ['authenticate'],
  create: ['createJob', 'listJobs'],
  upload: ['upload'],
  map: ['setMappings'],
  submit: ['submit'],
  match: ['readJob'],
  enrich: ['setEnrichments', 'enrich'],
  download: ['enrichedFile', 'file'],
} as const satisfies Record<string, readonly FaultInput['operation'][]>
const OPERATIONS = Object.values(STAGES).flat()

interface Body {
  readonly name: string
  readonly bytes: Buffer
}

const body = (name: string, text: string | Buffer): Body => ({ name, bytes: Buffer.from(text) })
const OWN: readonly Body[] = [
  body('nothing', ''),
  body('blanks', ' \n\t'),
  body('null', 'null'),
  body('true', 'true'),
  body('a number', '5'),
  body('a text', '"ready"'),
  body('an empty object', '{}'),
  body('an empty list', '[]'),
  body('a list of lists', '[[[]]]'),
  body('a list of null', '[null]'),
  body('null in every field', '{"id":null,"name":null,"status":null,"token":null,"filePath":null,"enrichments":null}'),
  body('a list in every field', '{"id":[],"name":{},"status":[1],"token":{},"filePath":[],"enrichments":{}}'),
  body('empty texts', '{"id":"","name":"","status":"","token":"","filePath":""}'),
  body('prototype', '{"__proto__":{"id":"x","status":"enrichmentComplete"},"constructor":null}'),
  body('cut short', '{"id":"x","status":"rea'),
  body('two documents', '{"id":"x"}{"id":"y"}'),
  body('not a number', '{"id":NaN}'),
  body('a comment', '{"id":"x" /* ours */}'),
  body('single quotes', "{'id':'x'}"),
  body('a byte order mark and a page', '\ufeff<!doctype html>'),
  body('XML', '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'),
  body('deep', '['.repeat(100_000)),
  body('deep and whole', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  body('a megabyte of one text', `{"id":"${'x'.repeat(1_000_000)}"`),
  body('no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  body('UTF-16', Buffer.from('{"id":"x"}', 'utf16le')),
  body('NUL bytes', Buffer.alloc(64)),
]

const faultOf = (operation: FaultInput['operation'], { bytes }: Body, times: FaultInput['times'] = 1): FaultInput => ({
  operation,
  times,
  effect: { kind: 'body', text: bytes.toString('base64'), encoding: 'base64' },
})

let scene: Scene
let bad: BadConnections
beforeAll(async () => {
  scene = await openScene()
  bad = await openBadConnections()
})
afterAll(async () => {
  await bad.close()
  await scene.close()
})

/** One run that meets these faults, resumed until it is finished; gives what is wrong, and how many bodies it met. */
async function meet(name: string, faults: readonly FaultInput[]): Promise<{ wrong: string[]; met: number; unmet: string[] }> {
  const folder = scene.folder()
  const server = await startFaultServer({ target: scene.service.url })
  const armed = server.arm(faults)
  const wrong: string[] = []
  // What is final for one request leaves the later bodies to the next start.
  for (let starts = 0; ; starts++) {
    if (starts === 10) server.arm([])
    const start = prepareStart({ folder, server, bad })
    const ended = starts === 0 ? await start.run() : await start.resume()
    await start.close()
    if (![0, 75, 76].includes(Number(ended.exit)) || /\n\s+at /.test(ended.message))
      wrong.push(`${name}: exit ${ended.exit} ${ended.code} ${ended.message.slice(0, 300)}`)
    if (ended.exit === 0 || wrong.length > 0) break
    if (starts === 11) {
      wrong.push(`${name}: not finished after ${starts} resumes: ${ended.message.slice(0, 300)}`)
      break
    }
  }
  const { creates, submits, enriches } = server.effects()
  if (wrong.length === 0 && [creates, submits, enriches].join() !== '1,1,1')
    wrong.push(`${name}: ${creates} jobs, ${submits} submissions, ${enriches} enrichments`)
  const met = armed.report().reduce((sum, one) => sum + one.consumed, 0)
  await server.close()
  folder.remove()
  return { wrong, met, unmet: armed.unconsumed().map(one => `${name}: ${one.operation} was never answered with it`) }
}

/** Every body in place of every answer, once each. */
async function tryAll(bodies: readonly Body[], what: string): Promise<void> {
  const from = performance.now()
  const results = await sideBySide(bodies, 8, one =>
    meet(
      one.name,
      OPERATIONS.map(operation => faultOf(operation, one)),
    ),
  )
  const wrong = results.flatMap(one => one.wrong)
  const met = results.reduce((sum, one) => sum + one.met, 0)
  const seconds = ((performance.now() - from) / 1000).toFixed(1)
  console.log(
    `${what}: ${bodies.length} bodies in place of the answers of 8 stages, ${met} answers replaced, ${wrong.length} crashes or losses, ${seconds} s`,
  )
  // Every request must have met every body, or the promise is about fewer.
  expect([...wrong, ...results.flatMap(one => one.unmet)].join('\n')).toBe('')
}

test('our invalid bodies, once in every request', () => tryAll(sampled(OWN, 9), 'our own'))

test('our invalid bodies, repeatedly in one stage', async () => {
  const cases = Object.entries(STAGES).flatMap(([stage, operations]) => OWN.map(one => ({ stage, operations, one })))
  // Of each stage a few, in turn, so that every body lasts somewhere.
  const some = cases.filter((_, at) => at % runs(29, 5) === 0)
  const results = await sideBySide(some, 8, ({ stage, operations, one }) =>
    meet(
      `${one.name} for ever in ${stage}`,
      operations.slice(-1).map(operation => faultOf(operation, one, 12)),
    ),
  )
  expect(results.flatMap(({ wrong }) => wrong).join('\n')).toBe('')
})

const folder = process.env.CORPORA === undefined ? null : join(process.env.CORPORA, 'json')
const files = folder === null || !existsSync(folder) ? [] : readdirSync(folder).filter(name => /^n_.*\.json$/.test(name))
if (files.length === 0) console.log('JSONTestSuite: not run, CORPORA names no folder with json/n_*.json')

test.skipIf(files.length === 0)('the invalid files of the JSONTestSuite', () =>
  tryAll(
    files.map(name => ({ name, bytes: readFileSync(join(folder ?? '', name)) })),
    'JSONTestSuite',
  ),
)
