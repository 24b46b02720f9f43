/** Rows to review on the desk. */
import type { PageData } from '../src/report/html/data.ts'
import { Choices, ROW_FILE } from './choices.ts'
import type { Kind } from './desk.ts'
import { detailOf } from './detail.ts'
import type { Words } from './filters.ts'
import { unpack } from './rows.ts'

const WORDS: Words = { all: 'All', open: 'Open', accepted: 'Accepted', rejected: 'Rejected', later: 'Later' }

const NOTE =
  'Bars under a candidate: to the right what speaks for the company, to the left what speaks against it. Starting odds: before anything is compared, any company is unlikely.'

/** The kind of desk, and its choices. */
export function rowKind(data: PageData): Kind {
  const rows = unpack(data)
  const { list } = rows
  const choices = new Choices(`fettle review ${rows.run}`, list, ROW_FILE)
  return {
    ...{ about: 'rows', label: 'Rows to review', list, choices, words: WORDS, note: NOTE },
    detail: (row, alike, actions) => detailOf(row, { rows, choices, words: WORDS, alike, actions }),
  }
}
