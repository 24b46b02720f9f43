/** Which searches the changes of lists may concern: none whose hits, scores or order are others than before is left out. */
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitWords } from '../../../../src/normalise/text.ts'
import { importList } from '../../../../src/service/screening/index.ts'
import { readName, scoreNames } from '../../../../src/service/screening/names.ts'
import { Reverse } from '../../../../src/service/screening/reverse.ts'
import { type Question, Screener } from '../../../../src/service/screening/screener.ts'
import { listSpellings, searchSpellings } from '../../../../src/service/screening/spellings.ts'
import { runs } from '../../../support/runs.ts'
import { temporaryFolder } from '../kit.ts'

interface Row {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly alias: string
  readonly note: string
}

async function importRows(dir: string, rows: readonly Row[], name = 'ours') {
  const file = join(await temporaryFolder(), 'list.csv')
  const lines = rows.map(({ id, type, name, alias, note }) => `E${id},${type},"${name}","${alias}",SAN,${note}`)
  await writeFile(file, ['id,type,name,weakAliases,datasets,notes', ...lines, ''].join('\n'))
  return importList({ kind: 'csv', file, name, dir, now: new Date(0), force: true })
}

const ask = (name: string, type: Question['type'], threshold: number): Question => ({
  ...{ type, name, person: null, threshold, datasets: ['SAN'], countryCodes: [] },
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})

async function openLists(dir: string): Promise<Screener> {
  const screener = new Screener(dir)
  await screener.ready()
  return screener
}

const WORDS = [
  'varnix',
  'vornix',
  'varnxi',
  'steel',
  'steal',
  'international',
  'intl',
  'co',
  'z',
  'limited',
  'limted',
  'gmbh',
  'feldmoor',
  'navixsteel',
  'варникс',
]
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  fc.string({ unit: fc.constantFrom('v', 'a', 'r'), minLength: 1, maxLength: 5 }),
)
const name = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '))
const row = fc.record({
  id: fc.nat({ max: 12 }),
  type: fc.constantFrom('business', 'individual', ''),
  name,
  alias: fc.oneof(fc.constant(''), name),
  note: fc.constantFrom('a', 'b'),
})
const list = fc.uniqueArray(row, { selector: ({ id }) => id, minLength: 1, maxLength: 12 })
/** What happens to each entry by the next import; `other` is a new one behind it. */
const edit = fc.record({
  what: fc.constantFrom('stays', 'stays', 'stays', 'stays', 'goes', 'name', 'note', 'id', 'more'),
  other: row,
})

/** The list after edits, in the same order. */
const nextState = (rows: readonly Row[], edits: readonly { what: string; other: Row }[], state: number): Row[] =>
  rows.flatMap((row, at) => {
    const { what, other } = edits[at % edits.length]!
    const fresh = { ...other, id: 1000 * state + at }
    if (what === 'goes') return []
    if (what === 'name') return [{ ...row, name: other.name }]
    if (what === 'note') return [{ ...row, note: `${state}` }]
    if (what === 'id') return [{ ...row, id: fresh.id }]
    return what === 'more' ? [row, fresh] : [row]
  })

/** A listed name, whole or with an error, or any other. */
const asked = fc.record({ at: fc.nat(), cut: fc.nat({ max: 30 }), other: name, isListed: fc.boolean() })

test('a search that the changes do not concern finds the same before and after, in the same order', async () => {
  let [left, concerned] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      list,
      fc.array(fc.array(edit, { minLength: 3, maxLength: 13 }), { minLength: 1, maxLength: 3 }),
      fc.array(asked, { minLength: 20, maxLength: 40 }),
      fc.constantFrom(75, 80, 85, 95, 100),
      async (first, imports, questions, threshold) => {
        const states: Row[][] = [first]
        for (const [at, edits] of imports.entries()) states.push(nextState(states[at]!, edits, at + 1))
        const dir = await temporaryFolder()
        await importRows(dir, states[0]!)
        const before = await openLists(dir)
        for (const rows of states.slice(1)) await importRows(dir, rows)
        const now = await openLists(dir)
        const reverse = await now.reverse(before.key)
        expect(reverse).not.toBeNull()
        const listed = states.flat()
        for (const { at, cut, other, isListed } of questions)
          for (const type of ['business', 'individual'] as const) {
            const text = listed[at % listed.length]!.name
            const question = ask(isListed ? text.slice(0, cut) + text.slice(cut + 1) || other : other, type, threshold)
            const hits = before.search(question)
            if (reverse!.concerns(question, hits.length > 0)) concerned++
            else {
              left++
              expect(now.search(question)).toEqual(hits)
            }
          }
        for (const screener of [before, now]) screener.close()
      },
    ),
    { numRuns: runs(12, 500) },
  )
  expect(left).toBeGreaterThan(20)
  expect(concerned).toBeGreaterThan(20)
})

test('every name that scores enough for a search concerns it', () => {
  let found = 0
  const pair = fc.tuple(
    name,
    asked,
    fc.constantFrom(75, 80, 85, 95, 100),
    fc.constantFrom('business' as const, 'individual' as const),
  )
  fc.assert(
    fc.property(pair, ([listed, { cut, other, isListed }, threshold, type]) => {
      const text = isListed ? listed.slice(0, cut) + listed.slice(cut + 1) : other
      const entry = { isNew: true, type, name: listed, person: null, aliases: [] }
      const isPerson = type === 'individual'
      const mostOf = (spelling: string): number =>
        Math.max(
          ...listSpellings(entry, isPerson).map(one =>
            scoreNames(readName(spelling, isPerson), readName(one.text, isPerson), isPerson, () => 0),
          ),
        )
      if (splitWords(text).length === 0 || searchSpellings(text, null, isPerson).every(one => mostOf(one.text) < threshold))
        return
      found++
      const words = { individual: new Map<string, number>(), business: new Map<string, number>() }
      expect(new Reverse([entry], words).concerns(ask(text, type, threshold), false)).toBe(true)
    }),
    { numRuns: runs(3_000, 50_000) },
  )
  expect(found).toBeGreaterThan(300)
})

const varnix: Row = { id: 1, type: 'business', name: 'Varnix Steel', alias: '', note: 'a' }
const feldmoor: Row = { id: 2, type: 'business', name: 'Feldmoor Trust', alias: '', note: 'a' }

test('a search that is near a new, changed or gone name, or has a word that came or went, is made again', async () => {
  const dir = await temporaryFolder()
  await importRows(dir, [varnix])
  const before = await openLists(dir)
  await importRows(dir, [varnix, feldmoor])
  const added = (await (await openLists(dir)).reverse(before.key))!
  expect(added.concerns(ask('Feldmor Trust', 'business', 75), false)).toBe(true)
  expect(added.concerns(ask('Feldmor Trust', 'business', 95), false)).toBe(false)
  expect(added.concerns(ask('Feldmor Trust', 'individual', 75), false)).toBe(false)
  expect(added.concerns(ask('Varnix Steel', 'business', 75), true)).toBe(false)
  // A hit of it may score less, and no hit comes.
  expect(added.concerns(ask('Varnix Trust', 'business', 75), true)).toBe(true)
  expect(added.concerns(ask('Varnix Trust', 'business', 75), false)).toBe(false)
  const between = await openLists(dir)
  await importRows(dir, [varnix])
  const gone = (await (await openLists(dir)).reverse(between.key))!
  expect(gone.concerns(ask('Varnix Trust', 'business', 75), false)).toBe(true)
})

test('a search with an initial is made again when its surname becomes rare, and one in another script always', async () => {
  const dir = await temporaryFolder()
  const persons = Array.from({ length: 11 }, (_, id) => ({
    ...varnix,
    id,
    type: 'individual',
    name: `Quorvath ${'abcdefghijk'[id]}dam`,
  }))
  const person: Row = { ...varnix, id: 20, type: 'individual', name: 'Zalmir Pradeno Quorvath' }
  await importRows(dir, [person, ...persons])
  const before = await openLists(dir)
  const question = ask('Z Quorvath', 'individual', 85)
  expect(before.search(question)).toEqual([])
  await importRows(dir, [person, ...persons.slice(3)])
  const now = await openLists(dir)
  expect(now.search(question).map(({ entry }) => entry.name)).toEqual([person.name])
  const reverse = (await now.reverse(before.key))!
  expect(reverse.concerns(question, false)).toBe(true)
  expect(reverse.concerns(ask('Z Feldmoor', 'individual', 85), false)).toBe(false)
  expect(reverse.concerns(ask('Залмир Фелдмур', 'individual', 85), false)).toBe(true)
})

test('a search for a name that is cut off is made again', () => {
  const name = 'Varnix International Steel Feldmoor Trust'
  const words = { individual: new Map<string, number>(), business: new Map<string, number>() }
  const added = new Reverse([{ isNew: true, type: 'business', name, person: null, aliases: [] }], words)
  expect(added.concerns(ask(name.slice(0, 30), 'business', 85), false)).toBe(true)
  expect(added.concerns(ask(name.slice(0, 20), 'business', 85), false)).toBe(false)
})

test('lists that came or went, an unknown state and damaged changes leave no search out', async () => {
  const dir = await temporaryFolder()
  await importRows(dir, [varnix])
  const before = await openLists(dir)
  await importRows(dir, [varnix, feldmoor])
  const now = await openLists(dir)
  expect(await now.reverse(before.key)).not.toBeNull()
  for (const key of ['', 'sample', 'ours/0', `theirs/${before.key}`, `${before.key},more/1`])
    expect(await now.reverse(key)).toBeNull()
  const [file = ''] = readdirSync(join(dir, 'ours')).filter(name => name.startsWith('changes-'))
  const text = await readFile(join(dir, 'ours', file), 'utf8')
  await writeFile(join(dir, 'ours', file), text.replace('Feldmoor', 'Feldmaar'))
  expect(await now.reverse(before.key)).toBeNull()
  await writeFile(join(dir, 'ours', file), text)
  expect(await now.reverse(before.key)).not.toBeNull()
  await importRows(dir, [varnix], 'more')
  expect(await (await openLists(dir)).reverse(before.key)).toBeNull()
})

test('an import counts new, changed and gone entries, and those that have another id', async () => {
  const dir = await temporaryFolder()
  const rows = [1, 2, 3, 4].map(id => ({ ...varnix, id, name: `Varnix ${'abcd'[id - 1]}teel` }))
  expect((await importRows(dir, rows)).changes).toBeNull()
  const [a, b, c, d] = rows as [Row, Row, Row, Row]
  const next = [a, { ...b, note: 'b' }, { ...c, id: 30 }, feldmoor, { ...feldmoor, id: 9 }].filter((_, at) => at !== 3)
  expect((await importRows(dir, next)).changes).toEqual({ added: 1, changed: 1, gone: 1, renamed: 1 })
  expect((await importRows(dir, next)).changes).toEqual({ added: 0, changed: 0, gone: 0, renamed: 0 })
  expect(d.id).toBe(4)
})
