/** A row beside its candidates: cells, differences, reasons and their weights. */
import { wordsBeside } from '../src/report/differ.ts'
import { reasonsOf } from '../src/report/why.ts'
import type { Choices } from './choices.ts'
import { h } from './dom.ts'
import type { Words } from './filters.ts'
import { SIGN } from './list.ts'
import type { Candidate, Row, Rows } from './rows.ts'

export interface Actions {
  accept(row: Row, company: string): void
  reject(row: Row): void
  later(row: Row): void
  undo(row: Row): void
}

/** A button with its key. */
export const verb = (key: string, text: string, press: () => void): HTMLElement =>
  h('button', { type: 'button', click: press, 'aria-label': text, 'aria-keyshortcuts': key, 'data-key': key }, text)

/** Later, undo, and what was decided. */
export function verbsOf(row: Row, choices: Choices, words: Words, actions: Actions): (HTMLElement | null)[] {
  const judgment = choices.judgment(row)
  return [
    verb('l', 'Later', () => actions.later(row)),
    judgment === 'open' ? null : verb('u', 'Undo', () => actions.undo(row)),
    judgment === 'open'
      ? null
      : h('span', { class: `mark ${judgment}` }, `${SIGN[judgment]} ${words[judgment].toLowerCase()}${byWhom(row, choices)}`),
  ]
}

export function detailOf(
  row: Row,
  {
    rows,
    choices,
    words,
    alike,
    actions,
  }: {
    readonly rows: Rows
    readonly choices: Choices
    readonly words: Words
    readonly alike: number
    readonly actions: Actions
  },
): HTMLElement {
  const where = [`Row ${row.number.toLocaleString('en')}`, ...(row.key === null ? [] : [row.key])]
  if (alike > 1) where.push(`${alike} rows alike, decided together`)
  return h(
    'div',
    { class: 'detail' },
    h('p', { class: 'small soft' }, where.join(' · ')),
    h('h3', {}, row.name === '' ? `Row ${row.number}` : row.name),
    row.reason === '' ? null : h('p', { class: 'small soft' }, `${row.isUnmatched ? 'Unmatched' : 'To review'}: ${row.reason}.`),
    h(
      'p',
      { class: 'verbs' },
      verb('n', row.candidates.length === 0 ? 'None' : 'None of these', () => actions.reject(row)),
      ...verbsOf(row, choices, words, actions),
    ),
    tableOf(row, rows, choices, actions),
    typedCompany(row, choices, actions),
  )
}

/** Where the id of a company is typed that is not among the candidates. */
function typedCompany(row: Row, choices: Choices, actions: Actions): HTMLElement {
  const chosen = choices.company(row) ?? ''
  const isListed = row.candidates.some(({ id }) => id === chosen)
  const input = h('input', {
    type: 'text',
    value: isListed ? '' : chosen,
    keydown: event => (event as KeyboardEvent).key === 'Enter' && accept(),
  })
  const accept = (): void => {
    const id = input.value.trim()
    if (id !== '') actions.accept(row, id)
  }
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'verbs' },
      h('label', {}, h('span', {}, row.candidates.length === 0 ? 'Id of the company ' : 'Id of another company '), input),
      h('button', { type: 'button', click: accept }, 'Accept this id'),
    ),
    h(
      'p',
      { class: 'small soft' },
      'An id as in general.connectId. fettle review --apply looks it up in the register, and refuses one that is not there; of a remote service, its candidates.fetch does.',
    ),
  )
}

/** The author of a decision in the report. */
function byWhom(row: Row, choices: Choices): string {
  const { decision } = row
  if (decision === null || choices.company(row) !== (decision.decision === 'accept' ? decision.company : null)) return ''
  return decision.by === '' ? '' : ` by ${decision.by}${decision.at === '' ? '' : `, ${decision.at.slice(0, 10)}`}`
}

function tableOf(row: Row, rows: Rows, choices: Choices, actions: Actions): HTMLElement {
  const chosen = choices.company(row)
  const isChosen = (one: Candidate): boolean => chosen !== null && one.id === chosen
  const columns = row.candidates
  const head = columns.map((one, n) =>
    h(
      'th',
      { scope: 'col', class: isChosen(one) ? 'chosen' : null },
      h(
        'span',
        { class: 'top' },
        h('span', { class: 'score' }, one.score === null ? '–' : one.score.toFixed(2)),
        h('span', { class: 'id' }, one.id),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'yes',
          'aria-pressed': String(isChosen(one)),
          'aria-label': `${isChosen(one) ? 'Accepted' : 'Accept'} ${one.name || one.id}`,
          'data-key': n === 0 ? 'y' : String(n + 1),
          'aria-keyshortcuts': n === 0 ? 'y 1' : String(n + 1),
          click: () => actions.accept(row, one.id),
        },
        isChosen(one) ? 'Accepted' : 'Accept',
      ),
    ),
  )
  // What the own cells are compared with: the accepted company, else the best.
  const other = Math.max(0, columns.findIndex(isChosen))
  const line = (name: string, own: string, theirs: readonly string[]): HTMLElement => {
    const beside = (n: number, text: string): string => (columns[n] === undefined || isSame(columns[n], row, name) ? '' : text)
    return h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      h('td', {}, ...marked(own, beside(other, theirs[other] ?? ''))),
      ...columns.map((one, n) => h('td', { class: isChosen(one) ? 'chosen' : null }, ...marked(theirs[n] ?? '', beside(n, own)))),
    )
  }
  const ownOf = (name: string): string => row.cells[rows.mappings.indexOf(name)] ?? ''
  const theirsOf = (name: string): string[] =>
    columns.map(one => one.fields[rows.fields.indexOf(name)] ?? (name === 'name' ? one.name : ''))
  const names = [...new Set(['name', ...rows.fields])].filter(
    name => ownOf(name) !== '' || theirsOf(name).some(text => text !== ''),
  )
  return h(
    'div',
    { class: 'scroll beside', role: 'region', tabindex: 0, 'aria-label': 'The row beside its candidates' },
    h(
      'table',
      {},
      h(
        'caption',
        {},
        'Your row beside the companies it may be; what differs is marked, in your row beside the accepted or the first one',
      ),
      h('thead', {}, h('tr', {}, h('td', {}), h('th', { scope: 'col' }, 'Your row'), ...head)),
      h(
        'tbody',
        {},
        ...names.map(name => line(name, ownOf(name), theirsOf(name))),
        columns.length === 0
          ? null
          : h('tr', {}, h('th', { scope: 'row' }, 'why'), h('td', {}), ...columns.map(one => h('td', {}, whyOf(one, row)))),
      ),
    ),
  )
}

/** The names that the service uses in reasons, if they differ from the mapping. */
const COMPARED: Readonly<Record<string, string>> = {
  orgNumber: 'number',
  countryCode: 'country',
  vatNumber: 'vat',
  companyId: 'id',
}

/** The service found the values equal, in any spelling: `GB` and `United Kingdom`. */
const isSame = ({ why }: Candidate, row: Row, mapping: string): boolean =>
  reasonsOf(why || row.why).some(({ kind, text }) => kind === 'for' && text === `same ${COMPARED[mapping] ?? mapping}`)

/** Marks the words that the other text lacks. */
export function marked(text: string, other: string): (Node | string)[] {
  if (text === '') return [h('span', { class: 'soft' }, '–')]
  return wordsBeside(text, other).map(word => (word.differs ? h('em', { class: 'differs' }, word.text) : word.text))
}

/** The reasons, then the weight of each kind of evidence. */
function whyOf({ why, parts }: Candidate, row: Row): HTMLElement {
  const reasons = reasonsOf(why || row.why)
  const weights = Object.entries(parts)
  const most = Math.max(1, ...weights.map(([, weight]) => Math.abs(weight)))
  return h(
    'div',
    {},
    h('ul', { class: 'why' }, ...reasons.map(({ text, kind }) => h('li', { class: kind }, text))),
    weights.length === 0
      ? null
      : h(
          'dl',
          { class: 'fall', title: 'What each kind of evidence adds to the score, in log-odds' },
          ...weights.flatMap(([word, weight]) => {
            const bar = h('span', { class: weight < 0 ? 'less' : 'more' })
            bar.style.width = `${(Math.abs(weight) / most) * 50}%`
            const track = h('span', { class: 'fallbar', 'aria-hidden': 'true' }, bar)
            return [
              h('dt', {}, word),
              h('dd', {}, track, h('span', { class: 'n' }, `${weight > 0 ? '+' : '−'}${Math.abs(weight).toFixed(1)}`)),
            ]
          }),
        ),
  )
}
