/** Makes the tables of docs/data.md from those of inputs and outputs in src/formats. Needs build/. */
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

export const dataBlocks = () => ({
  kinds: table(
    ['kind', 'usual endings', 'recognised by', 'keys of `input`', 'packages', 'limits'],
    Object.values(INPUT_KINDS).map(one => [
      one.label,
      code(one.extensions),
      one.recognition,
      code(one.keys),
      code(one.packages),
      one.limits,
    ]),
  ),
  'input places': table(
    ['`input.path`', 'what', 'packages', 'limits'],
    Object.values(INPUT_PLACES).map(one => [code([one.example]), one.label, code(one.packages), one.limits]),
  ),
  formats: table(
    ['`output.format`', 'endings', 'media type', 'content', 'packages', 'limits'],
    Object.entries(OUTPUT_FORMATS).map(([name, one]) => [
      code([name]),
      code(one.extensions),
      code([one.mime]),
      one.description ?? 'one object a line',
      code(one.packages),
      limitsOf(one),
    ]),
  ),
  'output places': table(
    ['where', 'what', 'packages', 'limits'],
    Object.values(OUTPUT_PLACES).map(one => [code([one.example]), one.label, code(one.packages), one.limits]),
  ),
})
