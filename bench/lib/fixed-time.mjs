/**
 * A service whose every job takes the same time, whatever is in it: for what workers gain when the service is what is waited for. It
 * answers what a run without an output asks, and finds one company for every row. `node bench/lib/fixed-time.mjs MS` prints its address.
 */
import { createServer } from 'node:http'

const ms = Number(process.argv[2])
const jobs = new Map()
const readyAt = job => job.submittedAt !== null && Date.now() >= job.submittedAt + ms

function told(job) {
  const status = job.submittedAt === null ? job.status : readyAt(job) ? 'jobMatchingComplete' : 'matching'
  const jobSummary = { totalRows: job.rows, matched: job.rows, manualMatched: 0, unmatched: 0, duplicates: 0 }
  return { id: job.id, name: job.name, status, correlationId: job.id, ...(readyAt(job) ? { jobSummary } : {}) }
}

async function answer(method, path, search, body) {
  if (path === '/authenticate') return { token: 'fixed-time' }
  if (path === '/dataCleaning/jobs' && method === 'GET')
    return [...jobs.values()].filter(({ name }) => name === search.get('jobName')).map(told)
  if (path === '/dataCleaning/jobs') {
    const id = `job-${jobs.size + 1}`
    jobs.set(id, { id, name: JSON.parse(body).name, status: 'created', rows: 0, submittedAt: null })
    return told(jobs.get(id))
  }
  const [, id, what] = /^\/dataCleaning\/jobs\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? []
  const job = jobs.get(id)
  if (job === undefined) return null
  if (what === 'upload') {
    const file = body.split('\r\n--').find(part => part.includes('filename=')) ?? ''
    const text = file.slice(file.indexOf('\r\n\r\n') + 4)
    job.rows = text.trimEnd().split('\n').length - 1
    job.status = 'uploaded'
    return { id: `file-${id}`, status: 'uploaded', correlationId: id }
  }
  if (what === 'mappings') {
    job.status = 'ready'
    return []
  }
  if (what === 'submit') job.submittedAt ??= Date.now()
  return told(job)
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://host')
  let body = ''
  for await (const piece of request.setEncoding('utf8')) body += piece
  const reply = await answer(request.method, pathname.replace(/^\/v1/, ''), searchParams, body)
  response.writeHead(reply === null ? 404 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(reply ?? { message: 'no such thing' }))
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`))
