/** Writes the tables of docs/matching.md from the engine's own, or with --check fails when they are not current. Needs dist/. */
import { readFileSync, writeFileSync } from 'node:fs'
import { SCALE } from '../build/service/matching/decide/explain.js'
import { FEATURES, MEANINGS } from '../build/service/matching/features.js'
import { THRESHOLDS, WEIGHTS } from '../build/service/matching/weights.js'

const path = new URL('../docs/matching.md', import.meta.url)
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')

/** Aligned columns in a code block. */
function block(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map(cells => cells[at].length)) + 2)
  const lines = rows.map(cells => cells.map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at]))).join(''))
  return ['```text', ...lines, '```'].join('\n')
}

const EVIDENCE = {
  sameName: 'every word of both names has its counterpart: equal, spelled out, cut off or misspelt',
  partName: 'words are left over on either side, and no address can be compared',
  partNameAddress: 'words are left over, and both have an address: sister companies share it',
}
const BLOCKS = {
  thresholds: table(
    ['the evidence', 'least score for `matched`'],
    [
      ...Object.entries(EVIDENCE).map(([name, text]) => [text, String(THRESHOLDS[name])]),
      ['for `review`: chance of the best company alone', String(THRESHOLDS.review)],
    ],
  ),
  scale: table(
    ['`matchScore`', 'score', 'meaning'],
    SCALE.map(({ from, score, meaning }, at) => [
      `${from} to ${(SCALE[at + 1]?.from ?? 1000) - 1}`,
      `${score} to ${SCALE[at + 1]?.score ?? 1}`,
      meaning,
    ]),
  ),
  weights: block(
    FEATURES.filter(name => WEIGHTS[name] !== 0).map(name => [name, String(WEIGHTS[name]), MEANINGS[name].replaceAll('`', '')]),
  ),
}

const old = readFileSync(path, 'utf8')
const text = Object.entries(BLOCKS).reduce((all, [name, block]) => {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  return `${all.slice(0, all.indexOf(start) + start.length)}${block}\n${all.slice(all.indexOf(end))}`
}, old)
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (text !== old) {
  process.stderr.write('docs/matching.md is not current: npm run build, then node scripts/matching-doc.mjs\n')
  process.exitCode = 1
}
