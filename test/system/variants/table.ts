/** All variants: the table that the test plays and the command prints. */
import { FILE } from './table/file.ts'
import { JOBS } from './table/jobs.ts'
import { REFUSED } from './table/refused.ts'
import { TRANSPORT } from './table/transport.ts'
import { groupOf, type Variant } from './variant.ts'

const ROWS: readonly Variant[] = [
  ...groupOf('undisturbed', [
    ['as published', {}],
    ['as published, ASCII list', { list: 'ascii' }],
  ]),
  ...TRANSPORT,
  ...JOBS,
  ...FILE,
]

export const VARIANTS: readonly Variant[] = ROWS.map(row =>
  REFUSED.has(`${row.group}: ${row.name}`) ? { ...row, ends: 'refused', resumed: 'refused' } : row,
)
