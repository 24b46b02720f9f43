/**
 * Writes the plan of a pipeline into a comment of the pull request, and replaces it at the next push. A comment that cannot be written
 * is a warning: a pull request from a fork has no token that may write.
 */
import { existsSync, readFileSync } from 'node:fs'

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, PIPELINE = '', PLAN = '', PULL_REQUEST } = process.env
/** GitHub's limit of a comment is 65,536 characters. */
const MOST = 60_000

const read = file => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '')
/** A fence that the text cannot close. */
const block = text => {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}text\n${text.length > MOST ? `${text.slice(0, MOST)}\n…` : text}\n${fence}`
}

const [plan, problems] = [read(PLAN), read(`${PLAN}.problems`)]
// The name is part of an HTML comment, which `--` would end.
const mark = `<!-- fettle plan: ${encodeURIComponent(PIPELINE).replaceAll('-', '%2D')} -->`
const title = `### fettle plan of ${PIPELINE.replace(/[^\w ./-]/g, '\\$&')}`
const parts = [mark, title, ...[plan, problems].filter(text => text !== '').map(text => block(text.slice(0, MOST / 2)))]
const body = parts.join('\n\n')

async function call(method, path, json) {
  const answer = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}${path}`, {
    method,
    headers: { authorization: `Bearer ${GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}`)
  return answer.json()
}

/** The comment of an earlier push, undefined if there is none. */
async function earlier() {
  for (let page = 1; ; page++) {
    const comments = await call('GET', `/issues/${PULL_REQUEST}/comments?per_page=100&page=${page}`)
    const found = comments.find(one => one.body?.startsWith(mark))
    if (found !== undefined || comments.length < 100) return found
  }
}

try {
  if (plan + problems === '') throw new Error('there is no plan')
  const before = await earlier()
  if (before === undefined) await call('POST', `/issues/${PULL_REQUEST}/comments`, { body })
  else await call('PATCH', `/issues/comments/${before.id}`, { body })
} catch (error) {
  console.log(`::warning title=fettle::the plan is not in a comment: ${error.message.replaceAll('\n', ' ')}`)
}
