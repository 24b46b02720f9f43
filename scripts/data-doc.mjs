/** Makes docs/data.md from the tables of inputs and outputs. Needs build/. */
import { OUTPUT_FORMATS } from '../build/formats/index.js'
import { INPUT_KINDS, INPUT_PLACES, OUTPUT_PLACES } from '../build/formats/places.js'

const code = words => words.map(word => `\`${word}\``).join(', ')
const row = cells => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
const number = value => value.toLocaleString('en-US')

const limitsOf = ({ limits }) =>
  limits === null
    ? ''
    : `${number(limits.rows)} rows, ${number(limits.columns)} columns, ${number(limits.cell)} characters a cell`

export const dataDoc = () => `# Inputs and outputs

Generated from the tables in \`src/formats\`. Settings: [pipeline.md](pipeline.md); columns of the result:
[output-columns.md](output-columns.md); packages are installed beside fettle.

## What an input can be

${table(
  ['kind', 'usual endings', 'recognised by', 'keys of `input`', 'packages', 'limits'],
  Object.values(INPUT_KINDS).map(one => [
    one.label,
    code(one.extensions),
    one.recognition,
    code(one.keys),
    code(one.packages),
    one.limits,
  ]),
)}

Other kinds are refused with what they are: old Excel files, OpenDocument, PDF, web pages, archives.

## Where an input can be

${table(
  ['`input.path`', 'what', 'packages', 'limits'],
  Object.values(INPUT_PLACES).map(one => [code([one.example]), one.label, code(one.packages), one.limits]),
)}

A program passes rows or a stream instead of a path: [library.md](library.md).

## What an output can be

${table(
  ['`output.format`', 'endings', 'media type', 'content', 'packages', 'limits'],
  Object.entries(OUTPUT_FORMATS).map(([name, one]) => [
    code([name]),
    code(one.extensions),
    code([one.mime]),
    one.description ?? 'one object a line',
    code(one.packages),
    limitsOf(one),
  ]),
)}

A text output whose name ends in \`.gz\` is packed by gzip.

## Where an output can be

${table(
  ['where', 'what', 'packages', 'limits'],
  Object.values(OUTPUT_PLACES).map(one => [code([one.example]), one.label, code(one.packages), one.limits]),
)}

See [pipeline.md](pipeline.md#remote-lists-and-results) for addresses and [pipeline.md](pipeline.md#databases) for databases.

## Parquet

A Parquet file is read as if its rows were a CSV, so that everything true of a list in CSV is true of it: resume, shards, workers, checks.
Rows are decoded in slices of 131,072 or 32 MiB of text, one column of one row group after the other. All codecs but LZO are read. A page of a
column is decoded at once: memory grows with the rows of a page, not with the file (figures: [performance.md](performance.md#a-million-rows-in-and-out)).
This is the text of each type:

| type | text |
| --- | --- |
| string, enum, JSON, bytes that are UTF-8 | unchanged |
| integers, signed and not | digits |
| decimal | digits with all of its places: \`12.50\` |
| float, double, half | the shortest text of the same number; \`NaN\`, \`Infinity\` |
| boolean | \`true\`, \`false\` |
| date | \`2026-01-31\` |
| timestamp | \`2026-01-31T08:15:00.250Z\`; without \`Z\` if the column has no time zone; three, six or nine places, none if they are zero |
| time | \`08:15:00.250\` |
| UUID | \`00112233-4455-6677-8899-aabbccddeeff\` |
| null | an empty cell, as the empty text is |

An output (\`output: out/all.parquet\`) has a type for each column: those of the list are as in a Parquet or JSON lines input, else text, and
ours as in [output-columns.md](output-columns.md#names-and-types-for-a-database). An empty cell is null. A cell that its type cannot hold,
such as a score of a remote service that is no number, is null, and a warning counts such cells (\`FETTLE_OUTPUT_TYPE\`); a text format keeps
them. A row group ends after 32,768 rows or 8 MiB of text, and is packed by Snappy. The same rows give the same bytes.

Nested columns (lists, maps, structs), and columns of other types, such as intervals and geometries, are refused with their names: select
flat columns, or cast to text, when the file is written. The keys \`encoding\`, \`delimiter\`, \`quotes\`, \`header\` and \`skip\` do not apply.
`
