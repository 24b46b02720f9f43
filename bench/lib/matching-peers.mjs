/**
 * The npm libraries people would pick for company names, on the same register and rows: each finds its best company by name, its
 * cut is chosen on `train`. They see the lower-cased name only; that is how they are used. Needs the devDependencies.
 */
import { bestCut, figure, quality, qualityAt } from './matching-data.mjs'

const plain = text =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Cosine of padded letter triples, as string-similarity and its kin compare, with an inverted list so that it ends today. */
function trigramCosine(names) {
  const triples = text => {
    const counts = new Map()
    const padded = ` ${text} `
    for (let at = 0; at + 3 <= padded.length; at++)
      counts.set(padded.slice(at, at + 3), (counts.get(padded.slice(at, at + 3)) ?? 0) + 1)
    return counts
  }
  const norm = counts => Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0))
  const lists = new Map()
  const norms = names.map((name, at) => {
    const counts = triples(name)
    for (const [triple, count] of counts) {
      if (!lists.has(triple)) lists.set(triple, [])
      lists.get(triple).push(at, count)
    }
    return norm(counts)
  })
  const sums = new Float64Array(names.length)
  return text => {
    const counts = triples(text)
    const touched = new Set()
    for (const [triple, count] of counts) {
      const list = lists.get(triple) ?? []
      for (let at = 0; at < list.length; at += 2) {
        sums[list[at]] += count * list[at + 1]
        touched.add(list[at])
      }
    }
    const own = norm(counts)
    let best = { at: -1, score: 0 }
    for (const at of touched) {
      const score = sums[at] / (norms[at] * own)
      if (score > best.score) best = { at, score }
      sums[at] = 0
    }
    return best
  }
}

/** Each peer: from names to a function from a name to its best company. */
const PEERS = {
  'trigram cosine': async names => trigramCosine(names),
  minisearch: async names => {
    const { default: MiniSearch } = await import('minisearch')
    const index = new MiniSearch({ fields: ['name'], searchOptions: { fuzzy: 0.2, prefix: true } })
    index.addAll(names.map((name, id) => ({ id, name })))
    return text => {
      const [found] = index.search(text)
      return found === undefined ? { at: -1, score: 0 } : { at: found.id, score: found.score / (text.split(' ').length || 1) }
    }
  },
  'fuzzball token_sort': async names => {
    const { extract, token_sort_ratio } = await import('fuzzball')
    return text => {
      const [found] = extract(text, names, { scorer: token_sort_ratio, limit: 1, full_process: false })
      return found === undefined ? { at: -1, score: 0 } : { at: found[2], score: found[1] / 100 }
    }
  },
  'fuse.js': async names => {
    const { default: Fuse } = await import('fuse.js')
    const fuse = new Fuse(
      names.map(name => ({ name })),
      { keys: ['name'], includeScore: true, ignoreLocation: true, threshold: 0.6 },
    )
    return text => {
      const [found] = fuse.search(text, { limit: 1 })
      return found === undefined ? { at: -1, score: 0 } : { at: found.refIndex, score: 1 - found.score }
    }
  },
}

/** Every n-th row, at most `most`. */
const some = (rows, most) => (rows.length <= most ? rows : rows.filter((_, at) => at % Math.ceil(rows.length / most) === 0))

/** They compare with every company, which takes minutes: a part of the rows is asked. */
const SLOW = ['fuzzball token_sort', 'fuse.js']

/** Prints a line for each peer and one for the engine's own answers; slow ones get at most `most` rows, and as many of `train`. */
export async function measurePeers(companies, all, every, own, most, print) {
  const names = companies.map(company => plain(company.name))
  const train = all.filter(row => row.split === 'train')
  const trained = train.length > 0 && !every.some(row => row.split === 'train')
  print(`\npeers, by name alone; the cut of best F1 on ${trained ? 'as many train rows, or all' : 'these very rows'}`)
  print(
    `${'peer'.padEnd(22)}${'rows'.padStart(6)}${['top1', 'precision', 'recall', 'f1', 'R at P .98', 'rows/s'].map(head => head.padStart(12)).join('')}`,
  )
  for (const [name, make] of Object.entries(PEERS)) {
    let find
    try {
      find = await make(names)
    } catch (error) {
      if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error
      print(`${name.padEnd(22)}   not installed: npm install puts the devDependencies there`)
      continue
    }
    const part = rows => (SLOW.includes(name) ? some(rows, most) : rows)
    const rows = part(every)
    const ask = row => {
      const { at, score } = find(plain(row.name))
      return { right: row.expected === '' ? null : companies[at]?.id === row.expected, score }
    }
    const started = performance.now()
    const answers = rows.map(ask)
    const perSecond = rows.length / ((performance.now() - started) / 1000)
    const chosen = trained ? part(train).map(ask) : answers
    const figures = qualityAt(answers, bestCut(chosen)?.cut ?? 1)
    const strict = bestCut(chosen, 0.98)
    const recall = strict === null ? null : qualityAt(answers, strict.cut).recall
    const cells = [figures.top1, figures.precision, figures.recall, figures.f1, recall].map(figure).join('')
    const top1 = quality(answers.map(one => ({ ...one, decision: 'matched' }))).top1
    print(
      `${name.padEnd(22)}${String(rows.length).padStart(6)}${figure(top1)}${cells.slice(12)}${String(Math.round(perSecond)).padStart(12)}`,
    )
  }
  const mine = quality(own)
  print(
    `${'fettle, as shipped'.padEnd(22)}${String(every.length).padStart(6)}${[mine.top1, mine.precision, mine.recall, mine.f1, mine.recall].map(figure).join('')}   with all columns given`,
  )
}
