/** What the benchmark of tables prints: one table of figures for each file, then every promise with what was measured. */

export const number = (value, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** Prints the figures of one file. */
export function show({ rows, bytes, rounds, figures, absent }) {
  const check = figures.find(one => one.name === 'fettle check')
  console.log(`\n${number(bytes / 1e6)} MB, ${number(rows)} rows, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`)
  console.log('                           fastest    median     MB/s  peak MB              rows  fettle check is')
  for (const one of figures) {
    const count = one.rows === null ? (one.lines === null ? '–' : `${number(one.lines)} lines`) : number(one.rows)
    const cells = [
      one.name.padEnd(24),
      `${number(one.seconds, 2)} s`.padStart(9),
      `${number(one.median, 2)} s`.padStart(9),
      number(one.mbPerSecond).padStart(8),
      (one.peakMb === null ? '–' : number(one.peakMb)).padStart(8),
      count.padStart(17),
      check === undefined ? '' : ` ${number(one.seconds / check.seconds, 2)} times as fast`,
      one.uploadMbPerSecond === null ? '' : ` (its upload: ${number(one.uploadMbPerSecond)} MB/s)`,
    ]
    console.log(cells.join(' '))
    if (one.rows !== null && one.rows !== rows) console.log(`  ${one.name} is wrong by ${number(one.rows - rows)} rows`)
  }
  if (absent.length > 0) console.log(`not installed, not measured: ${absent.join(', ')}`)
}

/** Below this an upload takes less time than the journal's writes before and after it. */
const LARGE = 5e8

/**
 * Each promise with what was measured: speeds on the largest file, since a small one shows how fast a process starts; memory
 * over all of them. What was not measured is not spoken of.
 */
export function promises(tables) {
  const largest = tables.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  const told = []
  const promise = (text, measured, holds) => told.push({ promise: text, measured, holds })
  const at = name => largest.figures.find(one => one.name === name)
  const [check, scan, run, curl] = ['fettle check', 'fettle, the scan alone', 'fettle run', 'curl -F'].map(at)
  for (const [peer, aim, words] of [
    [at('csv-parse'), 4, 'at least 4 times as fast as csv-parse'],
    [at('Miller'), 1, 'ahead of Miller'],
  ]) {
    const ratio = peer && check ? peer.seconds / check.seconds : null
    if (ratio !== null) promise(`fettle check ${words}`, `${number(ratio, 1)} times`, ratio >= aim)
  }
  if (scan) promise('the scan alone at 500 MB/s or more', `${number(scan.mbPerSecond)} MB/s`, scan.mbPerSecond >= 500)
  for (const { name } of [check, run].filter(one => one?.peakMb)) {
    const peaks = tables.map(one => one.figures.find(figure => figure.name === name).peakMb)
    const [least, most] = [Math.min(...peaks), Math.max(...peaks)]
    const over = `${number(least)} to ${number(most)} MB over ${tables.length} sizes`
    promise(`${name} in less than 160 MB, the same within 20 % for all sizes`, over, most < 160 && most <= least * 1.2)
  }
  const ratio = run && curl && largest.bytes >= LARGE ? run.uploadMbPerSecond / curl.uploadMbPerSecond : null
  if (ratio !== null) promise('an upload at 0.9 of the speed of curl -F or more', number(ratio, 2), ratio >= 0.9)
  return told
}
