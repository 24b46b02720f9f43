/**
 * Makes everything in `samples/` but its README and screening.csv from one seed: `node scripts/samples.mjs` writes the files, `--check` compares them
 * and fails when one differs. It decides nothing about the content; that is in `scripts/samples/`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stringify } from 'csv-stringify/sync'
import { makeClean } from './samples/clean.mjs'
import { createRandom } from './samples/random.mjs'
import { makeRegister, registerRows } from './samples/register.mjs'
import { makeSuppliers } from './samples/suppliers.mjs'
import { makeGermanSuppliers } from './samples/suppliers-de.mjs'
import { encodeWindows1252 } from './samples/windows-1252.mjs'

/** The seed of the committed files. */
const seed = 'fettle samples 1'

const utf8 = rows => Buffer.from(stringify(rows, { record_delimiter: '\n' }))

/** Returns path (below `samples/`) and bytes of every file, the same for the same seed. */
export function makeSamples(from = seed) {
  const random = createRandom(from)
  const made = makeRegister(random.fork('register'))
  const suppliers = makeSuppliers(random.fork('suppliers'), made)
  const german = makeGermanSuppliers(random.fork('suppliers-de'), made)
  const clean = makeClean(random.fork('clean'), made)
  return new Map([
    ['register.csv', utf8(registerRows(made.register))],
    ['suppliers.csv', utf8(suppliers.rows)],
    ['suppliers-de.csv', encodeWindows1252(stringify(german.rows, { delimiter: ';', record_delimiter: '\r\n' }))],
    ['clean.csv', utf8(clean.rows)],
    ['expected/suppliers.csv', utf8(suppliers.expected)],
    ['expected/suppliers-de.csv', utf8(german.expected)],
    ['expected/clean.csv', utf8(clean.expected)],
  ])
}

/** Returns the files below `folder` that are missing or not what the generator makes. */
export function differences(folder) {
  return [...makeSamples()].filter(([path, bytes]) => !same(join(folder, path), bytes)).map(([path]) => path)
}

function same(path, bytes) {
  try {
    return readFileSync(path).equals(bytes)
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

function main(folder, check) {
  if (check) {
    const wrong = differences(folder)
    for (const path of wrong) console.error(`samples/${path} is not what scripts/samples.mjs makes; run it again`)
    process.exitCode = wrong.length > 0 ? 1 : 0
    return
  }
  for (const [path, bytes] of makeSamples()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main(fileURLToPath(new URL('../samples', import.meta.url)), process.argv.includes('--check'))
}
