/**
 * `GET /health`: status, version, uptime, database check, registers, and whether it can write PDFs; 503 when a check fails. `GET /metrics`: counts for a collector
 * (OpenMetrics 1.0, or the text format of Prometheus). Neither has data of jobs, users or companies.
 */
import type { FastifyInstance } from 'fastify'
import type { AppDeps, AppOptions } from '../deps.ts'
import { hasPdf } from '../http/pdf.ts'
import { type Family, metricsText, plainMetricsText } from './metrics.ts'

export function healthRoute(app: FastifyInstance, { registers, jobs, startedAt, clock }: AppDeps, version: string): void {
  const canRead = (): boolean => {
    try {
      jobs.withStatus(['none'])
      return true
    } catch {
      return false
    }
  }
  const pdf = hasPdf()
  app.get('/health', async (_request, reply) => {
    const isHealthy = canRead()
    return reply.code(isHealthy ? 200 : 503).send({
      status: isHealthy ? 'ok' : 'failing',
      version,
      startedAt: new Date(startedAt).toISOString(),
      uptimeSeconds: Math.max(0, Math.round((clock.now() - startedAt) / 1000)),
      checks: { database: isHealthy ? 'ok' : 'failing' },
      registers: registers(),
      pdf,
    })
  })
}

const OPEN = 'application/openmetrics-text'

/** Whether a reader takes text, and OpenMetrics not at all or less gladly. */
function prefersPlain(accept = ''): boolean {
  const weights = accept.split(',').map(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    const quality = parameters.find(text => text.startsWith('q='))?.slice(2)
    return [type, quality === undefined ? 1 : Number(quality)] as const
  })
  const findWeight = (...types: string[]): number =>
    Math.max(0, ...weights.flatMap(([type, q]) => (types.includes(type) ? [q] : [])))
  return findWeight('text/plain', 'text/*') > findWeight(OPEN)
}

const sampleEach = (label: string, counts: Iterable<readonly [string, number]>): Family['samples'] =>
  [...counts].map(([name, count]) => [{ [label]: name }, count])

const gauge = (name: string, help: string, samples: Family['samples'], unit?: Family['unit']): Family => ({
  name,
  type: 'gauge',
  unit,
  help,
  samples,
})

/** Needs no login: tokens expire after an hour, and a collector cannot renew one. */
export function metricsRoute(app: FastifyInstance, { jobs, registers, startedAt }: AppDeps, options: AppOptions): void {
  const { metrics, version } = options
  const now = (): Family[] => {
    const { user, system } = process.cpuUsage()
    const companies = registers().map(register => [register.name, register.companies] as const)
    return [
      { name: 'fettle_build', type: 'info', help: 'The running version.', samples: [[{ version }, 1]] },
      gauge('fettle_start_time_seconds', 'Start time of the service, since 1970.', [[{}, startedAt / 1000]], 'seconds'),
      ...metrics.families(),
      gauge('fettle_jobs', 'Data-cleaning jobs by status.', sampleEach('status', jobs.counts())),
      gauge('fettle_register_companies', 'Companies of each register.', sampleEach('register', companies)),
      gauge('process_resident_memory_bytes', 'Memory of the process.', [[{}, process.memoryUsage.rss()]], 'bytes'),
      {
        name: 'process_cpu_seconds',
        type: 'counter',
        unit: 'seconds',
        help: 'CPU time of the process.',
        samples: [[{}, (user + system) / 1e6]],
      },
    ]
  }
  app.get('/metrics', async ({ headers }, reply) => {
    reply.header('Vary', 'Accept')
    return prefersPlain(headers.accept)
      ? reply.header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').send(plainMetricsText(now()))
      : reply.header('Content-Type', `${OPEN}; version=1.0.0; charset=utf-8`).send(metricsText(now()))
  })
}
