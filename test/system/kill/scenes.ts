/** The commands that are killed at their file operations, each with a prepared folder. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { connect } from '../../../src/client/index.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import type { Killed } from './commands.ts'
import { nextCommand } from './copies.ts'
import { recorded } from './judge.ts'
import { CREDENTIALS, type Ended, INPUT, makePlace, OUTPUTS, type Place, settled, start } from './kit.ts'

/** A command that is killed, without the kill. */
export type Scene = Omit<Killed, 'effect' | 'at'>

async function ok(place: Place, ...args: string[]): Promise<string> {
  const { code, stderr, stdout } = await start(place, args).ended
  expect(code, stderr).toBe(0)
  return stdout
}

/** The run is at its end, and its report tells it. */
async function judged(place: Place, { stdout }: Ended): Promise<string[]> {
  const { status, runId } = JSON.parse(stdout) as { status: string; runId: string }
  const state = recorded(place)
  if (state === null || !state.finished || state.status !== status)
    return [`the run ${runId} is ${state?.status}, told is ${status}`]
  const report = JSON.parse(readFileSync(join(place.runsDir, runId, 'report.json'), 'utf8')) as { status: string }
  return report.status === status ? [] : [`the report tells ${report.status}, the run is ${status}`]
}

/** Two shards at their end, to be merged. */
export async function mergeScene(data: string): Promise<Scene> {
  const prepared = makePlace(data, null)
  for (const shard of ['1/2', '2/2']) await ok(prepared, 'run', 'pipeline.yml', '--shard', shard)
  return { prepared, args: ['merge', 'killed', '--json'], next: nextCommand, files: OUTPUTS, judge: judged }
}

const REVIEWED = `name: killed
input: { path: in.csv, key: ref }
mappings: { name: Company, orgNumber: No, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
poll: { every: 500ms, max: 1s }
output: { path: out/out.csv, columns: ["*", general.connectId, match.outcome, match.why], review: out/review.csv }
review: { decisions: decisions/killed.csv }
`

/** Files that a review writes again. */
const REVIEWED_FILES = ['out/out.csv', 'out/review.csv', 'decisions/killed.csv'] as const

/** Rows whose name and number are those of two companies: they are left to a person. */
const UNCERTAIN = ['u1', 'u2'].map((ref, n) => `${ref},${/^0,([^,]+),/m.exec(INPUT)?.[1]},${10_000_001 + n},GB`).join('\n')

/** A run with rows to review, and a table with decisions about them; `isFirst`: there are no decisions yet. */
export async function reviewScene(
  data: string,
  { isFirst }: { readonly isFirst: boolean },
  service: FaultyService | null = null,
): Promise<Scene> {
  const prepared = makePlace(data, service)
  const { folder } = prepared
  writeFileSync(join(folder, 'in.csv'), `${INPUT}\n${UNCERTAIN}`)
  writeFileSync(join(folder, 'pipeline.yml'), REVIEWED)
  mkdirSync(join(folder, 'out'))
  await ok(prepared, 'run', 'pipeline.yml', '-q')
  await ok(prepared, 'review', '--export', 'csv', 'table.csv')
  const [names = [], ...rows] = parse(readFileSync(join(folder, 'table.csv'), 'utf8'), { bom: true }) as string[][]
  const at = (name: string): number => names.indexOf(name)
  const lines = rows.map(row => row.with(at('by'), 'ann').with(at('at'), '2026-11-20'))
  const write = (name: string, word: (row: readonly string[]) => string): void => {
    const decided = lines.map(row => row.with(at('decision'), row[at('company')] === '' ? '' : word(row)))
    writeFileSync(join(folder, name), [names, ...decided].map(row => row.map(cell => `"${cell}"`).join(',')).join('\n'))
  }
  expect(lines.filter(row => row[at('company')] !== '').length).toBeGreaterThan(1)
  write('none.csv', () => 'reject')
  if (!isFirst) await ok(prepared, 'review', '--apply', 'none.csv')
  write('mine.csv', row => (row[at('key')] === 'u1' ? 'reject' : 'undo'))
  return { prepared, args: ['review', '--apply', 'mine.csv', '--json'], files: REVIEWED_FILES, judge: judged }
}

/** Two nights with decisions and kept answers, and a table of the review: one row is to be forgotten. */
export async function forgetScene(data: string, service: FaultyService): Promise<Scene> {
  const { prepared } = await reviewScene(data, { isFirst: false }, service)
  const { folder, runsDir } = prepared
  writeFileSync(join(folder, 'pipeline.yml'), `${REVIEWED}reuse: { matched: 30d, unmatched: 30d, review: 30d }\n`)
  await ok(prepared, 'run', 'pipeline.yml', '-q', '--new')
  const judge = async (place: Place): Promise<string[]> => {
    const left = [...textsBelow(place.runsDir), ...textsBelow(join(place.folder, 'decisions'))].flatMap(([path, text]) =>
      /\bu1\b/.test(text) ? [`${path} still has the key`] : [],
    )
    const verified = JSON.parse((await start(place, ['verify', '--json']).ended).stdout) as { ok: boolean; faults: unknown[] }
    return [...left, ...(verified.ok ? [] : [`verify: ${JSON.stringify(verified.faults)}`])]
  }
  expect(textsBelow(runsDir).some(([, text]) => /\bu1\b/.test(text))).toBe(true)
  return { prepared, args: ['forget', '--key', 'u1', 'table.csv'], files: ['decisions/killed.csv', 'table.csv'], judge }
}

/** Every file below a folder as text, unpacked. */
function textsBelow(folder: string): (readonly [path: string, text: string])[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return entries.map(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name))
    return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')]
  })
}

/** The jobs of the run that are not archived. */
export async function unarchived(place: Place, { service }: FaultyService): Promise<string[]> {
  const client = connect({ ...CREDENTIALS, url: service.url })
  const ids = recorded(place)?.jobs.flatMap(({ id }) => id ?? []) ?? []
  const jobs = await Promise.all(ids.map(id => client.readJob(id)))
  await client.close()
  return jobs.flatMap(({ id, archived }) => (archived === true ? [] : [`${id} is not archived`]))
}

/** A list without a pipeline, for a service. */
export function cleanScene(data: string, service: FaultyService): Scene {
  const prepared = makePlace(data, service)
  const judge = async (place: Place, ended: Ended): Promise<string[]> => {
    const { creates, uploads, submits, enriches } = service.server.effects(recorded(place)?.jobName)
    const made = [creates, uploads, submits, enriches]
    return [
      ...(made.some(count => count !== 1) ? [`creates, uploads, submits, enriches: ${made}`] : []),
      ...(await judged(place, ended)),
    ]
  }
  return {
    prepared,
    args: ['clean', 'in.csv', '--json', '--yes'],
    next: nextCommand,
    files: ['in-clean.csv'],
    judge,
    rest: () => settled(service),
  }
}

/** Keys of rows whose answers are asked for again: their earlier ones are replaced. */
const AGAIN = Array.from({ length: 12 }, (_, n) => ['--refresh-key', `${n}`]).flat()

const NIGHTLY = `reuse: { matched: 30d, unmatched: 7d, review: 7d, screen: { age: 30d, acceptStale: true }, candidates: 7d }
screen: { datasets: [SAN] }
candidates: { for: [review, unmatched], limit: 50 }
after: archive
`

/** The second night of a list, with rows that are new, changed and gone, and rows that are asked again. */
export async function nightScene(data: string, service: FaultyService): Promise<Scene> {
  const prepared = makePlace(data, service)
  const { folder } = prepared
  const pipeline = join(folder, 'pipeline.yml')
  writeFileSync(pipeline, `${readFileSync(pipeline, 'utf8')}${NIGHTLY}`)
  await ok(prepared, 'run', 'pipeline.yml', '-q')
  const lines = INPUT.split('\n')
  const changed = lines.with(20, lines[20]!.replace('Harrow', 'Barrow')).toSpliced(25, 1)
  writeFileSync(join(folder, 'in.csv'), [...changed, 'y,Somebody New Ltd,,GB', 'z,Nobody Else Ltd,,GB'].join('\n'))
  const judge = async (place: Place, ended: Ended): Promise<string[]> => {
    const { creates, uploads, submits, enriches } = service.server.effects(recorded(place)?.jobName)
    const made = [creates, uploads, submits, enriches]
    const bad = [...(made.some(count => count !== 1) ? [`creates, uploads, submits, enriches: ${made}`] : [])]
    bad.push(...(await judged(place, ended)), ...(await unarchived(place, service)))
    // A question whose answer was lost is paid, and its answer is not known.
    const lost = recorded(place)?.candidates?.lost ?? 0
    // Every answer is where the next night finds it.
    await ok(place, 'run', 'pipeline.yml', '-q')
    const { reuse, screening, candidates } = recorded(place)!
    if (screening!.searches > 0 || screening!.reused === 0) bad.push(`the next night searches: ${JSON.stringify(screening)}`)
    if (candidates!.paid > lost || candidates!.reused === 0) bad.push(`the next night asks: ${JSON.stringify(candidates)}`)
    const { counts } = reuse ?? {}
    return counts?.sent === 0 && counts.known === counts.asked ? bad : [...bad, `the next night: ${JSON.stringify(counts)}`]
  }
  const args = ['run', 'pipeline.yml', '--json', ...AGAIN]
  const first = recorded(prepared)?.runId
  // Killed before the second night has a run, the command is given again: `resume` would be about the first.
  const next: Scene['next'] = (place, again) => (recorded(place)?.runId === first ? again : nextCommand(place, again))
  return { prepared, args, next, files: OUTPUTS, judge, rest: () => settled(service) }
}
