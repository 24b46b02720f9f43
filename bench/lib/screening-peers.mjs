/** The scores of other makers' screening algorithms for the questions that ours was asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { peerPython, run, script } from './peer-python.mjs'

/** Entries that share the most trigrams with a name; yente's and watchman's indexes choose theirs by letters, too. */
const CANDIDATES = 20

function trigramsOf(name) {
  const plain = ` ${
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
  return new Set(Array.from({ length: Math.max(0, plain.length - 2) }, (_, at) => plain.slice(at, at + 3)))
}

function openTrigrams(entries) {
  const postings = new Map()
  const names = entries.flatMap(({ type, names: all }, number) =>
    all.map(({ name }) => ({ number, type, size: trigramsOf(name).size, name })),
  )
  for (const [at, { name }] of names.entries())
    for (const gram of trigramsOf(name)) postings.has(gram) ? postings.get(gram).push(at) : postings.set(gram, [at])
  return ({ type, name, entry }) => {
    const [grams, shared] = [trigramsOf(name), new Map()]
    for (const gram of grams) for (const at of postings.get(gram) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1)
    const best = new Map()
    for (const [at, count] of shared) {
      const { number, type: other, size } = names[at]
      if (other === type) best.set(number, Math.max(best.get(number) ?? 0, count / (grams.size + size)))
    }
    const found = [...best].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CANDIDATES)
    // Their own indexes are not judged: the right entry is always a candidate.
    return [...new Set([...(entry === null ? [] : [entry]), ...found.map(([number]) => number)])]
  }
}

/**
 * For each peer its name, threshold, searches per second of processor time, and a score per question: of the right entry, or the best
 * of an innocent. `watchman`: a folder with its source, or undefined.
 */
export function askPeers(entries, asked, { python, watchman }) {
  const numbers = new Map(entries.map(({ id }, at) => [id, at]))
  const candidates = openTrigrams(entries)
  const questions = asked.map(({ type, name, id }) => {
    const entry = id === null ? null : numbers.get(id)
    return { type, name, candidates: candidates({ type, name, entry }) }
  })
  const folder = mkdtempSync(join(tmpdir(), 'fettle-screening-peers-'))
  try {
    const file = join(folder, 'questions.json')
    const listed = entries.map(({ type, names }) => {
      const of = isWeak => names.filter(({ kind }) => (kind === 'Low') === isWeak).map(({ name }) => name)
      // A peer needs a name that is not weak.
      return of(false).length > 0 ? { type, names: of(false), weak: of(true) } : { type, names: of(true), weak: [] }
    })
    writeFileSync(file, JSON.stringify({ entries: listed, questions }))
    const lines = run(peerPython(python, 'screening-requirements.txt'), [script('screening.py'), file])
      .trim()
      .split('\n')
    if (watchman !== undefined) lines.push(runWatchman(resolve(watchman), { folder, file }))
    return lines
      .map(line => JSON.parse(line))
      .map(({ scores, ...peer }) => ({
        ...peer,
        scores: scores.map((of, at) => (asked[at].id === null ? Math.max(0, ...of) : of[0])),
      }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Built beside the packages it uses, without a file written there. */
function runWatchman(source, { folder, file }) {
  const overlay = join(folder, 'overlay.json')
  const program = join(folder, 'watchman')
  writeFileSync(overlay, JSON.stringify({ Replace: { [join(source, 'cmd/fettle-bench/main.go')]: script('screening.go') } }))
  run('go', ['build', '-overlay', overlay, '-o', program, './cmd/fettle-bench'], { cwd: source })
  const version = run('git', ['-C', source, 'describe', '--tags', '--always', '--abbrev=8']).trim()
  return run(program, [file]).trim().replace('"peer":"watchman"', `"peer":"watchman ${version}"`)
}
