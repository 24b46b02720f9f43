/** Bytes that are no table: random ones, and real files mutated at random places. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'

/** All files below a folder, or the file itself. */
export const filesBelow = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap(name => filesBelow(join(path, name))) : [path]

/** The folder of corpora that the variable CORPORA names, undefined where it names none. */
export const CORPORA = process.env.CORPORA

const SAMPLES = fileURLToPath(new URL('../../../samples', import.meta.url))
const LARGEST = 20_000
const SHAPES = [
  'a,b,c\n1,"x, y",3\n"4 ""q""",5,6\n',
  'Name;Ort\r\n"Zeile 1\r\nZeile 2";Köln\r\n;\r\n\r\n"";x\r\n',
  'a\tb\r1\t2\r3\t"4\r5"\r',
  '\ufeffa|b\n1|2\n',
  'n,c\n"Acme,GB\nBolt",FR\n',
  'OOO "Romashka",RU\n"A" B,DE\n',
]

/** The tables that are mutated: shapes of all kinds, the samples, and the small files of the corpora. */
const originals: readonly Buffer[] = [
  ...SHAPES.map(shape => Buffer.from(shape)),
  ...[SAMPLES, ...(CORPORA !== undefined && existsSync(CORPORA) ? [CORPORA] : [])]
    .flatMap(filesBelow)
    .filter(path => /\.(csv|tsv|txt)$/.test(path) && statSync(path).size <= LARGEST)
    .map(path => readFileSync(path)),
]

const SPECIAL = [',', ';', '\t', '|', '"', '""', '",', '"\n', ',"', '\n', '\r', '\r\n', '\n\n', ' ', 'é', '\0', '\xff', '\ufeff']
const special = fc.constantFrom(...SPECIAL).map(text => Buffer.from(text, text === '\xff' ? 'latin1' : 'utf8'))

/** One change of some bytes; places are shares of the length, so that they shrink with it. */
type Change = (bytes: Buffer) => Buffer
const place = fc.double({ min: 0, max: 1, noNaN: true })
const at = (share: number, bytes: Buffer): number => Math.round(share * bytes.length)
const spliced = (bytes: Buffer, from: number, to: number, by: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(Math.max(from, to))])

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, special).map(
    ([share, text]): Change =>
      bytes =>
        spliced(bytes, at(share, bytes), 0, text),
  ),
  fc.tuple(place, special).map(
    ([share, text]): Change =>
      bytes =>
        spliced(bytes, at(share, bytes), at(share, bytes) + text.length, text),
  ),
  fc.tuple(place, fc.nat(255)).map(
    ([share, byte]): Change =>
      bytes =>
        spliced(bytes, at(share, bytes), at(share, bytes) + 1, Buffer.of(byte)),
  ),
  fc.tuple(place, fc.nat(30)).map(
    ([share, length]): Change =>
      bytes =>
        spliced(bytes, at(share, bytes), at(share, bytes) + length, Buffer.alloc(0)),
  ),
  fc.tuple(place, place, fc.nat(60)).map(
    ([to, from, length]): Change =>
      bytes =>
        spliced(bytes, at(to, bytes), 0, bytes.subarray(at(from, bytes), at(from, bytes) + length)),
  ),
  place.map(
    (share): Change =>
      bytes =>
        bytes.subarray(0, at(share, bytes)),
  ),
)

/** A real table, changed at one to six places; now and then long enough for several blocks of the scanner. */
const mutants = fc
  .tuple(
    fc.constantFrom(...originals),
    fc.array(changes, { minLength: 1, maxLength: 6 }),
    fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.constant(40_000)),
  )
  .map(([original, each, length]) => {
    const changed = each.reduce((bytes, change) => change(bytes), original)
    return changed.length === 0 || changed.length > length
      ? changed
      : Buffer.concat(Array.from({ length: Math.ceil(length / changed.length) }, () => changed))
  })

/** Random bytes, random specials, and mutants. */
export const anyBytes: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)) },
  {
    weight: 2,
    arbitrary: fc.array(fc.oneof(special, fc.constant(Buffer.from('a'))), { maxLength: 60 }).map(parts => Buffer.concat(parts)),
  },
  { weight: 5, arbitrary: mutants },
)
