/**
 * Who is measured on a table, and how each is called: fettle in three ways, parsers and counters that read the same file, and
 * `curl -F` to the same server. Each gives its rows where it counts any, and its own seconds where the process is not what counts.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isThere, timed } from './timed.mjs'

export const TABLE = 'bench.csv'
const PIPELINE = 'bench.json'
const here = name => fileURLToPath(new URL(name, import.meta.url))
const fettle = (...args) => [process.execPath, here('../../dist/cli/main.js'), ...args]
const digits = text => Number(/\d+/.exec(text)?.[0])

const pipeline = {
  name: 'bench',
  input: { path: TABLE, key: 'id' },
  mappings: {
    name: 'Company Name',
    orgNumber: 'Reg No',
    address1: 'Address',
    town: 'Town',
    postcode: 'Postcode',
    country: 'Country',
  },
  poll: { every: '500ms' },
}

/** Readers of the file; `of` makes their rows, and seconds if they are their own, of what they print. */
const READERS = [
  {
    name: 'fettle check',
    command: fettle('check', PIPELINE, '--json'),
    of: text => ({ rows: JSON.parse(text).plan.rows }),
  },
  { name: 'fettle, the scan alone', command: [process.execPath, here('csv-scan.mjs'), TABLE], of: JSON.parse },
  { name: 'csv-parse', command: [process.execPath, here('csv-parse.mjs'), TABLE], of: JSON.parse },
  { name: 'Miller', command: ['mlr', '--icsv', '--ojson', 'count', TABLE], of: text => ({ rows: digits(text) }) },
  { name: 'csvkit', command: ['csvstat', '--count', TABLE], of: text => ({ rows: digits(text) }) },
  { name: 'wc -l', command: ['wc', '-l', TABLE], of: text => ({ lines: digits(text) }) },
  { name: 'sha256sum', command: ['sha256sum', TABLE], of: () => ({}) },
]

/** Those who can be measured in `folder`, where the table lies, and the names of those who are not installed; `only` chooses. */
export async function contenders(folder, receiver, only) {
  await writeFile(join(folder, PIPELINE), JSON.stringify(pipeline))
  const there = await Promise.all(READERS.map(({ command }) => isThere(command[0])))
  const readers = READERS.filter((_, at) => there[at]).map(({ name, command, of }) => ({
    name,
    async run() {
      const { stdout, ...rest } = await timed(folder, command)
      return { ...rest, ...of(stdout) }
    },
  }))
  const env = { ...process.env, FETTLE_URL: receiver.url, FETTLE_USERNAME: 'bench', FETTLE_PASSWORD: 'bench' }
  const run = {
    name: 'fettle run',
    async run() {
      const { stdout, ...rest } = await timed(folder, fettle('run', PIPELINE, '--new', '-q', '--json'), env)
      const { totals, report } = JSON.parse(stdout)
      const { stages } = JSON.parse(await readFile(join(folder, report), 'utf8')).results[0]
      await rm(join(folder, 'fettle-runs'), { recursive: true })
      return { ...rest, rows: totals.rows, upload: stages.find(stage => stage.name === 'upload').elapsedMs / 1000 }
    },
  }
  const form = ['-F', 'hasHeader=true', '-F', `jobFile=@${TABLE}`, `${receiver.url}/dataCleaning/jobs/bench/upload`]
  const curl = {
    name: 'curl -F',
    async run() {
      const { stdout, ...rest } = await timed(folder, ['curl', '-sS', '-o', '/dev/null', '-w', '%{time_total}', ...form])
      return { ...rest, upload: Number(stdout) }
    },
  }
  const senders = (await isThere('curl')) ? [run, curl] : [run]
  const absent = READERS.filter((_, at) => !there[at]).map(one => one.name)
  const isChosen = ({ name }) => only.length === 0 || only.some(part => name.includes(part))
  return { all: [...readers, ...senders].filter(isChosen), absent: [...absent, ...(senders.length === 1 ? ['curl -F'] : [])] }
}
