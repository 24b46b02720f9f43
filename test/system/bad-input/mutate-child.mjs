// Tries mutated files through the command line's own code: node mutate-child.mjs <pipeline|csv> <count> <seed>, in an empty folder.
// It ends with one line of JSON, the exit codes counted; a wrong answer ends it at once, with the mutant left in the folder.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../../build/cli/program.js'

const [kind, count, seed] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])]
const root = new URL('../../../', import.meta.url)

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function seeded(start) {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
const random = seeded(seed)
const below = limit => Math.floor(random() * limit)
const pick = list => list[below(list.length)]

// biome-ignore format: words to put anywhere
const WORDS = ['- ', '[', ']', '{', '}', '&a ', '*a', '!!x ', '!', '\t', '"', "'", ': ', '<<: ', '${', '${A', '}', '\0', '\u00a0', '\u200b', '\u{1f3ed}', '---\n', '...\n',
  '%YAML 1.1\n', '? ', '| ', '>-\n', '#', ',', ';', '\r', '\r\n', '\n', '\n\n', '""', '""""', 'null', '~', '1e999', '0x1F', '__proto__: x\n', '\ufeff', '\ufffd', '\\', '\\u0000', '=1+1',
  '@', 'sep=;\n', '\u202e', 'name: x\n', 'input: rows.csv\n']

const lineEdit = change => bytes => {
  const lines = bytes.toString('latin1').split('\n')
  change(lines)
  return Buffer.from(lines.join('\n'), 'latin1')
}
const splice = (bytes, at, gone, come) => Buffer.concat([bytes.subarray(0, at), come, bytes.subarray(at + gone)])
const MUTATIONS = [
  bytes => splice(bytes, below(bytes.length + 1), 0, Buffer.from(pick(WORDS))),
  bytes => splice(bytes, below(bytes.length), 1, Buffer.from([below(256)])),
  bytes => splice(bytes, below(bytes.length), 1 + below(20), Buffer.alloc(0)),
  bytes => bytes.subarray(0, below(bytes.length)),
  bytes => splice(bytes, below(bytes.length + 1), 0, Buffer.from(pick(WORDS).repeat(1 + below(3_000)))),
  bytes => {
    const from = below(bytes.length)
    return splice(bytes, below(bytes.length + 1), 0, bytes.subarray(from, from + below(200)))
  },
  lineEdit(lines => lines.splice(below(lines.length), 1)),
  lineEdit(lines => lines.splice(below(lines.length), 0, pick(lines))),
  lineEdit(lines => lines.sort(() => random() - 0.5)),
  lineEdit(lines => {
    const at = below(lines.length)
    lines[at] = ' '.repeat(below(9)) + lines[at].trimStart()
  }),
]

function mutant(source) {
  let bytes = source
  for (let times = 1 + below(4); times > 0 && bytes.length > 0; times--) bytes = pick(MUTATIONS)(bytes)
  return bytes.subarray(0, 300_000)
}

const read = path => readFileSync(new URL(path, root))
const PIPELINES = readdirSync(new URL('pipelines/', root)).map(name => [name, read(`pipelines/${name}`)])
const TABLES = ['samples/clean.csv', 'samples/suppliers.csv', 'samples/suppliers-de.csv'].map(path =>
  read(path).subarray(0, 4_000),
)
const OVER = `name: p
input: { path: rows.csv, encoding: ENCODING, key: { index: 0 } }
mappings: { name: { index: 1 }, orgNumber: { index: 2, pad: 8 }, country: { from: [country, Country, Land], optional: true } }
output: { path: o.csv, format: excel }
`

/** One answer of `check --json`: its exit code, or what is wrong with it. */
async function answer(args) {
  let out = ''
  let said = ''
  const io = {
    env: { FETTLE_REGISTER: 'sample' },
    cwd: process.cwd(),
    out: text => {
      out += `${text}\n`
    },
    say: text => {
      said += text
    },
    draw: () => {},
    isTerminal: false,
    columns: () => 80,
    rows: () => 24,
    colour: { out: false, say: false },
    signal: new AbortController().signal,
  }
  const code = await runProgram(['check', '--json', '--', ...args], io)
  const text = out + said
  const isForm = /"schema":"fettle\/(check|result)\/v1"/.test(out) && JSON.parse(out).exitCode === code
  if (![0, 2, 65].includes(code) || !isForm || /FETTLE_BUG|\n\s+at .+:\d+:\d+/.test(text))
    throw new Error(`exit ${code}: ${text.slice(0, 2_000)}`)
  return code
}

const codes = {}
for (let number = 1; number <= count; number++) {
  const [name, bytes] = kind === 'pipeline' ? pick(PIPELINES) : ['rows.csv', pick(TABLES)]
  writeFileSync(name, mutant(bytes))
  if (kind === 'csv')
    writeFileSync('p.yml', OVER.replace('ENCODING', pick(['auto', 'windows-1252', 'utf-8', 'utf-16le', 'shift_jis'])))
  const started = performance.now()
  try {
    const code = await answer([kind === 'pipeline' ? name : 'p.yml'])
    codes[code] = (codes[code] ?? 0) + 1
    if (performance.now() - started > 20_000) throw new Error('it took more than 20 seconds')
  } catch (error) {
    console.error(`mutant ${number} of seed ${seed}, ${fileURLToPath(new URL(name, `file://${process.cwd()}/`))}: ${error.stack}`)
    process.exitCode = 1
    break
  }
}
console.log(JSON.stringify(codes))
