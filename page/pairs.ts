/** Pairs of rows of a list on the desk: each is the first row, whose only candidate is the second. */
import { wordsBeside } from '../src/report/differ.ts'
import type { PairData } from '../src/report/html/data.ts'
import { reasonsOf } from '../src/report/why.ts'
import { type ChoiceFile, Choices } from './choices.ts'
import type { Kind } from './desk.ts'
import { type Actions, marked, verb, verbsOf } from './detail.ts'
import { h } from './dom.ts'
import type { Words } from './filters.ts'
import type { Row } from './rows.ts'

const WORDS: Words = { all: 'All', open: 'Open', accepted: 'Same', rejected: 'Different', later: 'Later' }

/** A row, or several with the same cells. */
interface Side {
  readonly rows: string
  readonly cells: readonly string[]
  /** The rows of the pair that it is in one group with. */
  readonly beside?: string
}

const differs = (text: string, other: string): boolean =>
  wordsBeside(text, other).some(word => word.differs) || wordsBeside(other, text).some(word => word.differs)

/** The kind of desk, and its choices. */
export function pairKind({ list: listName, file: name, names, rows, fields, others }: PairData): Kind {
  const sidesOf = ({ at }: Pick<Row, 'at'>): Side[] => {
    const line = rows[at]!
    const sides = [0, 1].map(side => ({
      rows: line[1 + 2 * fields.length + side]!,
      cells: fields.map((_, field) => line[1 + 2 * field + side]!),
    }))
    return [...sides, ...others[at]!.map(([beside = '', own = '', ...cells]) => ({ beside, rows: own, cells }))]
  }
  const list = rows.map((line, at): Row => {
    const sides = sidesOf({ at })
    const [first, second] = sides as [Side, Side]
    const fingerprint = line.slice(-2).join(' ')
    const why = fields.flatMap((field, n) => {
      const [own, other] = [first.cells[n]!, second.cells[n]!]
      if (own === '' || other === '') return []
      return [`${field} ${differs(own, other) ? '≠' : '='}`]
    })
    const decision = { company: fingerprint, companyName: '', by: '', at: '', expires: '' }
    return {
      ...{ at, id: `pair-${at}`, number: at + 1, key: null, fingerprint, score: null, why: why.join(' | ') },
      ...{ name: first.cells[0]!, country: first.cells[fields.indexOf('country')] ?? '', cells: first.cells },
      candidates: [{ id: fingerprint, name: second.cells[0]!, score: null, why: '', parts: {}, fields: second.cells }],
      ...{ reason: '', isUnmatched: false },
      decision: line[0] === '' ? null : { ...decision, decision: line[0] === 'same' ? 'accept' : 'reject' },
      text: sides
        .flatMap(side => [side.rows, ...side.cells])
        .join(' ')
        .toLowerCase(),
    }
  })
  const file: ChoiceFile = {
    name,
    columns: names,
    isWhole: true,
    linesOf({ at }, { kind }) {
      if (kind === 'undo') return []
      const cells = [kind === 'accept' ? 'same' : 'different', ...rows[at]!.slice(1)]
      return [Object.fromEntries(names.map((column, n) => [column, cells[n]!]))]
    },
  }
  const choices = new Choices(`fettle dedupe ${listName}`, list, file)
  return {
    ...{ about: 'pairs', label: 'Pairs to decide', list, choices, words: WORDS, note: '' },
    detail: (row, _alike, actions) => showPair(row, { sides: sidesOf(row), fields, choices, actions }),
  }
}

interface Shown {
  readonly sides: readonly Side[]
  readonly fields: readonly string[]
  readonly choices: Choices
  readonly actions: Actions
}

function showPair(row: Row, { sides, fields, choices, actions }: Shown): HTMLElement {
  const [first, second] = sides as readonly [Side, Side]
  const line = (field: string, n: number): HTMLElement =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, field),
      ...sides.map(side => h('td', {}, ...marked(side.cells[n]!, (side === first ? second : first).cells[n]!))),
    )
  const used = [...fields.entries()].filter(([n]) => sides.some(({ cells }) => cells[n] !== ''))
  return h(
    'div',
    { class: 'detail' },
    h('p', { class: 'small soft' }, `Pair ${row.number.toLocaleString('en')}`),
    h('h3', {}, row.name === '' ? `Row ${first.rows}` : row.name),
    h(
      'p',
      { class: 'verbs' },
      verb('y', 'Same company', () => actions.accept(row, row.fingerprint)),
      verb('n', 'Different', () => actions.reject(row)),
      ...verbsOf(row, choices, WORDS, actions),
    ),
    h(
      'div',
      { class: 'verbs' },
      h('ul', { class: 'why' }, ...reasonsOf(row.why).map(({ text, kind }) => h('li', { class: kind }, text))),
    ),
    h(
      'div',
      { class: 'scroll beside', role: 'region', tabindex: 0, 'aria-label': 'The rows beside each other' },
      h(
        'table',
        {},
        h('caption', {}, 'The two rows, then others of their groups; what differs is marked, in the others beside the first row'),
        h('thead', {}, h('tr', {}, h('td', {}), ...sides.map(headOf))),
        h('tbody', {}, ...used.map(([n, field]) => line(field, n))),
      ),
    ),
  )
}

const headOf = ({ rows, beside }: Side): HTMLElement =>
  h(
    'th',
    { scope: 'col' },
    `Row ${rows}`,
    beside === undefined ? null : h('span', { class: 'sub' }, `in one group with row ${beside}`),
  )
