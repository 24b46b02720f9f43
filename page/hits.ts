/** Hits of AML searches on the desk: each is a row of a company whose only candidate is the entry of the list. */

import { type HitToDecide, subjectText } from '../src/model/results.ts'
import type { HitData } from '../src/report/html/data.ts'
import { type ChoiceFile, Choices } from './choices.ts'
import type { Kind } from './desk.ts'
import { type Actions, verb, verbsOf } from './detail.ts'
import { h } from './dom.ts'
import type { Words } from './filters.ts'
import type { Row } from './rows.ts'

const WORDS: Words = { all: 'All', open: 'Open', accepted: 'Confirmed', rejected: 'Cleared', later: 'Later' }
const COLUMNS = [
  'decision',
  'company',
  'companyName',
  'facts',
  'digest',
  'list',
  'entry',
  'name',
  'by',
  'at',
  'expires',
  'person',
]
const DECISION = { accept: 'confirm', reject: 'clear', undo: 'undo', later: '' } as const

const entryOf = ({ hit: { list, entry } }: HitToDecide): string => [list, entry].filter(text => text !== '').join(' ')

function rowOf(found: HitToDecide, at: number): Row {
  const { company, hit, digest, state, changed, decided } = found
  const fingerprint = JSON.stringify([company.id, company.name, digest, hit.list, hit.entry, company.person])
  const facts = Object.values(hit.facts).flat()
  const candidate = { id: fingerprint, name: hit.name, score: hit.score / 100, why: '', parts: {}, fields: [] }
  const decision = { companyName: '', by: decided.split(' by ')[1] ?? '', at: '', expires: '' }
  return {
    at,
    id: `hit-${at}`,
    number: at + 1,
    key: null,
    fingerprint,
    score: candidate.score,
    why: '',
    name: subjectText(company),
    country: '',
    cells: [],
    isUnmatched: false,
    candidates: [candidate],
    reason: state === 'back' ? [decided, ...changed].join('; ') : '',
    decision:
      state === 'confirmed'
        ? { ...decision, decision: 'accept', company: fingerprint }
        : state === 'cleared'
          ? { ...decision, decision: 'reject', company: '' }
          : null,
    text: [company.id, subjectText(company), hit.name, hit.entry, ...facts].join(' ').toLowerCase(),
  }
}

/** The kind of desk, and its choices. */
export function hitKind({ run, hits }: HitData): Kind {
  const list = hits.map(rowOf)
  const foundOf = ({ at }: Row): HitToDecide => hits[at]!
  const file: ChoiceFile = {
    name: 'hits.csv',
    columns: COLUMNS,
    linesOf(row, { kind }, signature) {
      const { company, hit, digest } = foundOf(row)
      const { id, name, person = '' } = company
      const about = { company: id, companyName: name, person, facts: JSON.stringify(hit.facts), digest }
      return [{ ...about, list: hit.list, entry: hit.entry, name: hit.name, ...signature, decision: DECISION[kind] }]
    },
  }
  const choices = new Choices(`fettle review ${run} hits`, list, file)
  return {
    ...{ about: 'hits', label: 'Hits to decide', list, choices, words: WORDS, note: '' },
    detail: (row, _alike, actions) => hitDetail(row, foundOf(row), choices, actions),
  }
}

function hitDetail(row: Row, found: HitToDecide, choices: Choices, actions: Actions): HTMLElement {
  const { company, hit, state, changed, decided } = found
  const facts = Object.entries(hit.facts)
  return h(
    'div',
    { class: 'detail' },
    h(
      'p',
      { class: 'small soft' },
      [company.id, `score ${hit.score}`, entryOf(found), hit.datasets.join(' ')].filter(Boolean).join(' · '),
    ),
    h('h3', {}, subjectText(company)),
    state === 'back'
      ? h(
          'div',
          { class: 'small' },
          h('p', { class: 'warn' }, `Came back: ${decided}, and since then:`),
          h('ul', {}, ...changed.map(text => h('li', {}, text))),
        )
      : null,
    h(
      'p',
      { class: 'verbs' },
      verb('y', found.company.person === undefined ? 'It is the company' : 'It is the director', () =>
        actions.accept(row, row.fingerprint),
      ),
      verb('n', 'It is not', () => actions.reject(row)),
      ...verbsOf(row, choices, WORDS, actions),
    ),
    h(
      'dl',
      { class: 'pairs facts' },
      ...[['entry', [hit.name]] as const, ...facts].flatMap(([field, texts]) => [
        h('dt', {}, field),
        h('dd', {}, ...texts.map(text => h('span', { class: 'fact' }, text))),
      ]),
    ),
  )
}
