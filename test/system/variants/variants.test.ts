/**
 * Every variant of an answer ends right or refuses: the outputs equal the outputs of an undisturbed run, or nothing is published. The table is
 * data (table.ts); `npm test` plays a part of it, the deep project all (test/support/runs.ts). With VARIANTS=print it prints what it saw,
 * with VARIANTS_ONLY only the variants whose name contains a text are played.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyThird } from '../../support/runs.ts'
import { sideBySide } from '../faults/side-by-side.ts'
import { LISTS, type ListName } from './list.ts'
import { type Played, play, type Undisturbed } from './play.ts'
import { VARIANTS } from './table.ts'
import type { Variant } from './variant.ts'

const only = process.env.VARIANTS_ONLY
const labelOf = ({ group, name }: Variant): string => `${group}: ${name}`
const groups = [...new Set(VARIANTS.map(({ group }) => group))]

const chosen = (): readonly Variant[] => {
  if (only !== undefined) return VARIANTS.filter(variant => labelOf(variant).includes(only))
  if (process.env.VARIANTS === 'print') return VARIANTS
  return groups.flatMap((group, nth) =>
    everyThird(
      VARIANTS.filter(variant => variant.group === group),
      nth,
    ),
  )
}

const played: Played[] = []
const undisturbed: Record<ListName, readonly string[]> = { letters: [], ascii: [] }

beforeAll(async () => {
  for (const list of ['letters', 'ascii'] as const) {
    const { first, outputs, message } = await play({ group: 'undisturbed', name: list, changes: [{ list }], ends: 'right' }, null)
    expect(first, message).toBe('right')
    undisturbed[list] = outputs
  }
  played.push(
    ...(await sideBySide(chosen(), 8, async variant => {
      const one = await play(variant, undisturbed as Undisturbed)
      if (process.env.VARIANTS === 'print') console.log(lineOf(one))
      return one
    })),
  )
}, 3_600_000)

const lineOf = ({ variant, first, resumed, exit, code, message }: Played): string => {
  const end = `${first}${resumed === null ? '' : `, resumed ${resumed}`}`
  return `${labelOf(variant)} | ${end} | ${exit} ${code ?? ''} | ${message.split('\n')[0]}`
}

afterAll(() => {
  const count = (end: string): number => played.filter(({ first }) => first === end).length
  console.log(`${played.length} variants: ${count('right')} right, ${count('refused')} refused, ${count('wrong')} wrong`)
})

test('an undisturbed run writes the company of every row', () => {
  for (const list of ['letters', 'ascii'] as const) {
    const [output = '', unmatched = ''] = undisturbed[list]
    expect(output.trimEnd().split('\n')).toHaveLength(41)
    for (const { cells, company } of LISTS[list]) {
      const line = output.split('\n').find(text => text.startsWith(`${cells[0]},`)) ?? ''
      expect(line).toContain(company === null ? ',,' : `,${company.id},${company.name}`)
      expect(unmatched.includes(`${cells[0]},`)).toBe(company === null)
    }
  }
})

test('the table has three hundred variants at least, each with its own name', () => {
  expect(VARIANTS.length).toBeGreaterThan(300)
  expect(new Set(VARIANTS.map(labelOf)).size).toBe(VARIANTS.length)
})

test.each(groups)('%s', group => {
  const complaints = played
    .filter(({ variant }) => variant.group === group)
    .flatMap(({ variant, first, resumed, exit, message, twice }) => {
      const { ends } = variant
      const end = `exit ${exit}: ${message}`
      return [
        ...twice,
        ...(first === ends ? [] : [`${first} and not ${ends}; ${end}`]),
        ...(first !== 'refused' || resumed === (variant.resumed ?? 'right') ? [] : [`resumed ${resumed}; ${end}`]),
      ].map(text => `${variant.name}: ${text}`)
    })
  expect(complaints.join('\n')).toBe('')
})
