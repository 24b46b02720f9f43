/** Which reporters a call has: `--reporter NAME[=PATH]` and the platform. Names and paths are judged here, before anything is sent. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Env } from '../../app/index.ts'
import { nearest } from '../../app/light.ts'
import { FettleError } from '../../errors.ts'
import type { Flags } from '../command.ts'
import { assertReplaceableReport } from '../options/overwrite-guards.ts'
import { listFlag, needText } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { dagsterChannel, hasDagster } from './dagster.ts'
import { STDOUT } from './documents.ts'

/** Every reporter there is. */
export const REPORTERS = [
  'junit',
  'github',
  'gitlab',
  'openmetrics',
  'json-events',
  'markdown',
  'html',
  'openlineage',
  'dagster',
] as const

/** Switches off what is on by itself. */
const NONE = 'none'

/** A reporter and where it is to write; null is the reporter's own place. */
export interface ReporterRequest {
  readonly name: (typeof REPORTERS)[number]
  readonly path: string | null
}

/** What each platform can show, by the name that reports give it. */
const OF_PLATFORM: Readonly<Record<string, ReporterRequest['name']>> = {
  github: 'github',
  gitlab: 'gitlab',
  jenkins: 'junit',
  azure: 'junit',
  buildkite: 'junit',
  circleci: 'junit',
}

/** What several pipelines in one call are shown by together. */
const OF_SEVERAL: ReporterRequest['name'] = 'html'

/** The reporters of a call on a platform (null: none). Throws FETTLE_USAGE. */
export async function requestedReporters(flags: Flags, io: Io, platform: string | null): Promise<ReporterRequest[]> {
  const words = [...new Set(listFlag(flags, 'reporter'))]
  const asked = words.filter(word => word !== NONE).map(read)
  const own = [
    OF_PLATFORM[platform ?? ''],
    listFlag(flags, 'pipeline').length > 1 ? OF_SEVERAL : undefined,
    hasDagster(io.env) ? ('dagster' as const) : undefined,
  ]
  const unasked = own.flatMap(name => (name === undefined || asked.some(one => one.name === name) ? [] : [{ name, path: null }]))
  const all = (words.includes(NONE) ? asked : [...asked, ...unasked]).map(one => placed(one, io.env))
  await refuseWrongPaths(all, needText(flags, 'runs-dir'), io.cwd)
  return all
}

function read(word: string): ReporterRequest {
  const [, name = '', path] = /^([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? []
  const known = REPORTERS.find(one => one === name)
  if (known === undefined) {
    const near = nearest(name, [...REPORTERS, NONE])
    const hint = near === null ? `There are ${REPORTERS.join(', ')}, and ${NONE}.` : `Did you mean ${near}?`
    throw new FettleError('FETTLE_USAGE', `--reporter ${word}: there is no reporter "${name}"`, { hint })
  }
  if (path === '') throw refused(word, 'a path is missing after =')
  return { name: known, path: path ?? null }
}

/** Dagster says itself where it listens. */
function placed(one: ReporterRequest, env: Env): ReporterRequest {
  if (one.name !== 'dagster') return one
  if (one.path !== null) throw refused(`dagster=${one.path}`, 'it writes where Dagster listens', 'Leave the path out.')
  if (!hasDagster(env)) throw refused('dagster', 'no Dagster has started this', 'It is on by itself under PipesSubprocessClient.')
  const channel = dagsterChannel(env)
  return channel !== null && 'stream' in channel && channel.stream === 'stdout' ? { ...one, path: STDOUT } : one
}

const refused = (word: string, why: string, hint = 'Name another path.'): FettleError =>
  new FettleError('FETTLE_USAGE', `--reporter ${word}: ${why}`, { hint })

async function refuseWrongPaths(asked: readonly ReporterRequest[], runsDir: string, cwd: string): Promise<void> {
  const taken = new Map<string, string>()
  for (const { name, path } of asked) {
    if (path === null) continue
    const word = `${name}=${path}`
    const place = path === STDOUT ? STDOUT : resolve(cwd, path)
    const other = taken.get(place)
    if (other !== undefined) throw refused(word, `--reporter ${other} writes there`)
    taken.set(place, word)
    if (path === STDOUT && (name === 'gitlab' || name === 'github')) throw refused(word, 'it cannot write to stdout')
    if (path === STDOUT) continue
    if (name === 'gitlab') {
      const facts = await stat(place).catch(() => null)
      if (facts !== null && !facts.isDirectory()) throw refused(word, 'it needs a folder, and that is none')
    } else {
      // What GitHub is told in its summary is Markdown.
      const format = name === 'github' ? 'markdown' : name
      await assertReplaceableReport(path, { cwd, runsDir, format, flag: `--reporter ${word}` })
    }
  }
}
