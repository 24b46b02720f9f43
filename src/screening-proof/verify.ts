/**
 * Searches every name of the imported lists unchanged, a sample of them with stated changes, and innocents: what is found, what is
 * missed, and which innocents raise an alert. The same lists give the same sample and the same changes.
 */
import { hash } from 'node:crypto'
import { DATASETS, type Dataset } from '../contract/index.ts'
import { digestCells, sampleRows } from '../list-sample.ts'
import { turnEvery } from '../loop-turns.ts'
import type { ListInfo } from '../service/screening/index.ts'
import { type Found, Screener, type SearchType } from '../service/screening/screener.ts'
import { type Check, type Counted, type JudgedCheck, judge, KINDS, type Kind } from './checks.ts'
import { MUTATION_NAMES, MUTATIONS, type Mutation } from './mutations.ts'

const SCHEMA = 'fettle/screening-verify/v1'
const TYPE_OF: Readonly<Record<Kind, SearchType>> = { persons: 'individual', organisations: 'business' }
const ALL = Object.keys(DATASETS) as Dataset[]
/** The lowest threshold of a search: what scores less is missed without a score. */
const LOWEST = 75
/** Misses of a change, and alerts of innocents, that are named. */
const MOST_NAMED = 1000

/** Names that should raise no alert. */
export interface Innocents {
  readonly kind: Kind
  readonly source: string
  readonly names: AsyncIterable<string>
}

export interface VerifyOptions {
  /** The folder of the screening lists. */
  readonly dir: string
  readonly threshold: number
  /** Most names that are changed, and most innocents of a source. */
  readonly sample: number
  readonly innocents: readonly Innocents[]
  readonly checks: readonly Check[]
  readonly now: Date
  readonly signal: AbortSignal
  readonly onProgress?: (searches: number) => void
}

interface ListedName {
  readonly [cell: string]: unknown
  readonly kind: Kind
  readonly list: string
  readonly id: string
  readonly name: string
}

interface Miss extends Pick<ListedName, 'list' | 'id' | 'name'> {
  readonly asked: string
  /** Below the threshold; null below 75. */
  readonly score: number | null
}

export interface Recall extends Counted {
  readonly kind: Kind
  readonly change: Mutation
  /** The first `MOST_NAMED`. */
  readonly misses: readonly Miss[]
}

interface Alert extends Pick<ListedName, 'list' | 'id' | 'name'> {
  readonly match: string
  readonly score: number
}

export interface Alerts extends Counted {
  readonly kind: Kind
  readonly source: string
  /** Filled rows of the source; `asked` of them were searched: the sample, each name once. */
  readonly names: number
  /** The first `MOST_NAMED`. */
  readonly alerts: readonly Alert[]
}

export interface Verification {
  readonly schema: typeof SCHEMA
  readonly ok: boolean
  readonly at: string
  readonly lists: readonly Pick<ListInfo, 'name' | 'source' | 'entries' | 'importedAt' | 'snapshotDate' | 'sha256'>[]
  readonly threshold: number
  /** Listed names, an alias as a name; `changed` of them were searched with changes, too. */
  readonly names: number
  readonly changed: number
  readonly recall: readonly Recall[]
  readonly innocents: readonly Alerts[]
  readonly checks: readonly JudgedCheck[]
  readonly searches: number
  readonly seconds: number
}

/** Throws FETTLE_INPUT_READ for a damaged list, and what the innocents throw. The caller has seen that there are lists. */
export async function verifyScreening(options: VerifyOptions): Promise<Verification> {
  const { dir, threshold, sample, signal, onProgress } = options
  const started = performance.now()
  const screener = new Screener(dir)
  await screener.ready()
  const turn = turnEvery()
  let searches = 0
  const search = async (kind: Kind, name: string): Promise<readonly Found[]> => {
    await turn()
    signal.throwIfAborted()
    searches++
    onProgress?.(searches)
    return screener.search({
      ...{ type: TYPE_OF[kind], name, person: null, threshold: Math.min(LOWEST, threshold), datasets: ALL, countryCodes: [] },
      ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
    })
  }
  const found = new Map<string, { kind: Kind; change: Mutation; asked: number; found: number; misses: Miss[] }>()
  const ask = async ({ kind, list, id, name }: ListedName, change: Mutation): Promise<void> => {
    const asked = MUTATIONS[change](name, seededRandom(`${change} ${name}`), kind === 'persons')
    if (asked === null || (asked === name && change !== 'unchanged')) return
    const counts = found.get(`${kind} ${change}`) ?? { kind, change, asked: 0, found: 0, misses: [] }
    found.set(`${kind} ${change}`, counts)
    const hits = await search(kind, asked)
    const score = hits.find(({ entry, list: other }) => entry.id === id && other === list)?.score ?? null
    counts.asked++
    if (score !== null && score >= threshold) counts.found++
    else if (counts.misses.length < MOST_NAMED) counts.misses.push({ list, id, name, asked, score })
  }
  try {
    let names = 0
    for (const name of listedNames(screener)) {
      names++
      await ask(name, 'unchanged')
    }
    const changed = await sampleRows(listedNames(screener), digestCells, sample)
    for (const name of changed) for (const change of MUTATION_NAMES) if (change !== 'unchanged') await ask(name, change)
    const innocents: Alerts[] = []
    for (const source of options.innocents) innocents.push(await askInnocents(source, { search, threshold, sample }))
    const recall = KINDS.flatMap(kind => MUTATION_NAMES.flatMap(change => found.get(`${kind} ${change}`) ?? []))
    const checks = options.checks.map(check => judge(check, countMeasure(check.measure, recall, innocents)))
    const lists = screener.infos.map(({ name, source, entries, importedAt, snapshotDate, sha256 }) => ({
      ...{ name, source, entries, importedAt, snapshotDate, sha256 },
    }))
    const seconds = Math.round((performance.now() - started) / 100) / 10
    return {
      ...{
        schema: SCHEMA,
        ok: checks.every(({ success }) => success),
        at: options.now.toISOString(),
        lists,
        threshold,
        names,
        changed: changed.length,
      },
      ...{ recall, innocents, checks, searches, seconds },
    }
  } finally {
    screener.close()
  }
}

/** Every name and alias of every entry, as what a search may ask for it. */
function* listedNames(screener: Screener): Generator<ListedName> {
  for (const { list, entry } of screener.entries()) {
    const names = new Set([entry.name, ...entry.aliases.map(({ name }) => name)].filter(name => name !== ''))
    for (const kind of KINDS)
      if (entry.type === 'either' || entry.type === TYPE_OF[kind])
        for (const name of names) yield { kind, list, id: entry.id, name }
  }
}

async function askInnocents(
  { kind, source, names }: Innocents,
  {
    search,
    threshold,
    sample,
  }: Pick<VerifyOptions, 'threshold' | 'sample'> & { search: (kind: Kind, name: string) => Promise<readonly Found[]> },
): Promise<Alerts> {
  let all = 0
  const counted = async function* () {
    for await (const name of names) {
      if (name.trim() === '') continue
      all++
      yield { name: name.trim() }
    }
  }
  const alerts: Alert[] = []
  let [asked, found] = [0, 0]
  for (const { name } of await sampleRows(counted(), digestCells, sample)) {
    const [best] = await search(kind, name)
    asked++
    if (best === undefined || best.score < threshold) continue
    found++
    if (alerts.length < MOST_NAMED)
      alerts.push({ name, list: best.list, id: best.entry.id, match: best.match, score: best.score })
  }
  return { kind, source, names: all, asked, found, alerts }
}

function countMeasure(measure: string, recall: readonly Recall[], innocents: readonly Alerts[]): Counted {
  const [what, ...path] = measure.split('.')
  const kind = KINDS.find(name => name === path[0])
  const ofKind = <T extends { readonly kind: Kind }>(counts: readonly T[]): T[] =>
    counts.filter(counted => kind === undefined || counted.kind === kind)
  const counts: Counted[] = what === 'alerts' ? ofKind(innocents) : ofKind(recall).filter(({ change }) => change === path.at(-1))
  const sum = (key: keyof Counted): number => counts.reduce((total, counted) => total + counted[key], 0)
  return { asked: sum('asked'), found: sum('found') }
}

/** Numbers from 0 to 1, the same for the same text. */
function seededRandom(text: string): () => number {
  let state = Number.parseInt(hash('sha256', text).slice(0, 8), 16)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
