/** A service that has nothing but create, upload, mappings and read: the job starts to match by itself once its columns are mapped. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Checkpoint, resume, run } from '../../../src/index.ts'
import { type Place, place } from '../../support/place.ts'
import { type Answer, counting } from '../../system/cli/servers.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

/** Nothing that is known only after matching is there before, but as null. */
const UNKNOWN_YET = { countryCode: null, portfolioId: null, source: null, correlationId: null, jobEnrichmentSettings: null }
const NO_COUNTS = { totalRows: null, matched: null, manualMatched: null, unmatched: null, duplicates: null }
const COUNTS = { totalRows: 2, matched: 1, manualMatched: 0, unmatched: 1, duplicates: 0 }

/** `refusal` is the answer to what it does not have; it stays `ready` for so many reads after the mappings. */
async function seedOnly(refusal: number, readyReads = 1, ahead = ['matching', 'matched']) {
  let name = ''
  let status = 'created'
  let coming: string[] = []
  const hasCounts = (): boolean => status === 'matched' || status === 'addedToPortfolioError'
  const details = () => (status === 'addedToPortfolioError' ? { details: 'Portfolio resource not found' } : {})
  const job = (): Answer => ({
    status: 200,
    body: { id: 'job-1', name, status, ...UNKNOWN_YET, ...details(), jobSummary: hasCounts() ? COUNTS : NO_COUNTS },
  })
  const to = (next: string): Answer => {
    status = next
    return job()
  }
  const answers: Readonly<Record<string, (body: string) => Answer>> = {
    'POST /authenticate': () => ({ status: 200, body: { token: 'token-of-the-seed' } }),
    'GET /dataCleaning/jobs': () => ({ status: 200, body: name === '' ? [] : [job().body] }),
    'POST /dataCleaning/jobs': body => {
      name = JSON.parse(body).name
      return job()
    },
    'GET /dataCleaning/jobs/job-1': () => to(coming.shift() ?? status),
    'POST /dataCleaning/jobs/job-1/upload': () => {
      status = 'uploaded'
      return { status: 200, body: { id: 'file-1', hasHeader: 1, active: null } }
    },
    'PUT /dataCleaning/jobs/job-1/mappings': body => {
      status = 'ready'
      coming = [...Array.from({ length: readyReads }, () => 'ready'), ...ahead]
      return { status: 200, body: JSON.parse(body).mappings }
    },
  }
  const server = await counting((line, body) => answers[line]?.(body) ?? { status: refusal, body: { message: 'no such thing' } })
  return { server, env: { FETTLE_URL: server.url, FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' } }
}

const counts = () => here.pipeline({ output: undefined, enrich: 'none' })

describe('a service without submit', () => {
  test('starts by itself: the run ends with the counts', async () => {
    const { server, env } = await seedOnly(404)
    const report = await run(counts(), here.options(env))
    expect(report).toMatchObject({ status: 'success', exitCode: 0, totals: { rows: 2, matched: 1, unmatched: 1 } })
    expect(report.results[0]!.message).toMatch(/ These are the counts of the service: the run has no enriched file\.$/)
    expect(report.results[0]!.stages.find(({ name }) => name === 'download')).toMatchObject({ status: 'skipped' })
    // A 404 is asked once more: a job may not be found right after it was made.
    expect(server.requests.filter(line => line === 'POST /dataCleaning/jobs/job-1/submit')).toHaveLength(2)
  })

  test('a job that matched its rows, and did not add their companies to a portfolio, is warned of', async () => {
    const { env } = await seedOnly(404, 1, ['matching', 'addedToPortfolioError'])
    const report = await run(counts(), here.options(env))
    expect(report).toMatchObject({ status: 'warn', exitCode: 0, totals: { matched: 1, unmatched: 1 } })
    expect(report.results[0]!.issues).toMatchObject([
      {
        code: 'FETTLE_JOB_STEP',
        severity: 'warn',
        message: 'the job job-1 matched its rows and ended in the status addedToPortfolioError: Portfolio resource not found',
      },
    ])
  })

  test('a run that was stopped after the refusal is finished by the next process', async () => {
    const { server, env } = await seedOnly(404, 2)
    const stop = new AbortController()
    const running = run(counts(), { ...here.options(env), signal: stop.signal })
    void server.asked('POST /dataCleaning/jobs/job-1/submit').then(() => stop.abort(new Error('killed')))
    await expect(running).rejects.toMatchObject({ code: 'FETTLE_ABORTED' })
    const checkpoint = JSON.parse(JSON.stringify(running.checkpoint())) as Checkpoint
    const report = await resume(checkpoint, here.options(env))
    expect(report).toMatchObject({ status: 'success', totals: { matched: 1, unmatched: 1 } })
    expect(server.requests.filter(line => line === 'POST /dataCleaning/jobs')).toHaveLength(1)
    expect(server.requests.filter(line => line.endsWith('/upload'))).toHaveLength(1)
  })
})
