/** What a verification finds in real lists: recall, misses, alerts, and that the same lists give the same proof. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Check, judge, parseCheck } from '../../../src/screening-proof/checks.ts'
import { MUTATION_NAMES, MUTATIONS, type Mutation } from '../../../src/screening-proof/mutations.ts'
import { formatVerification, renderVerification } from '../../../src/screening-proof/report.ts'
import { type Innocents, type VerifyOptions, verifyScreening } from '../../../src/screening-proof/verify.ts'
import { importList } from '../../../src/service/screening/index.ts'
import { temporaryFolder } from '../service/kit.ts'

const HEADER = 'id,type,name,aliases,weakAliases,datasets'
const ROWS = [
  'B1,business,Varnix Steel Ltd,Варникс Стил,Varnix,SAN',
  'B2,business,Navix Immobilien GmbH,,,AM',
  'P1,individual,"Quorvath, Zalmir",,,SAN',
  'E1,,Feldmoor Trust,,,POI',
]

async function importLists(rows: readonly string[]): Promise<string> {
  const dir = await temporaryFolder()
  const file = join(await temporaryFolder(), 'list.csv')
  await writeFile(file, [HEADER, ...rows, ''].join('\n'))
  await importList({ kind: 'csv', file, name: 'ours', dir, now: new Date(0) })
  return dir
}

const checkOf = (text: string): Check => {
  const check = parseCheck(text)
  if ('why' in check) throw new Error(check.why)
  return check
}

async function verify(rows: readonly string[], more: Partial<VerifyOptions> = {}) {
  const dir = await importLists(rows)
  const checks = [checkOf('recall.unchanged < 100%')]
  return verifyScreening({
    ...{ dir, threshold: 85, sample: 5000, innocents: [], checks, now: new Date(0), signal: new AbortController().signal },
    ...more,
  })
}

const innocentsOf = (names: readonly string[], kind: Innocents['kind'] = 'organisations'): Innocents => ({
  kind,
  source: 'innocents.csv',
  names: (async function* () {
    yield* names
  })(),
})

const recallOf = ({ recall }: Awaited<ReturnType<typeof verify>>, kind: string, change: Mutation) =>
  recall.find(counts => counts.kind === kind && counts.change === change)

test('every name and alias is searched as what it may be, and found', async () => {
  const proof = await verify(ROWS)
  expect(proof).toMatchObject({ ok: true, names: 7, changed: 7, threshold: 85 })
  expect(proof.lists).toMatchObject([{ name: 'ours', entries: 4, source: 'list.csv' }])
  // An entry without a type is searched as both.
  expect(recallOf(proof, 'persons', 'unchanged')).toMatchObject({ asked: 2, found: 2, misses: [] })
  expect(recallOf(proof, 'organisations', 'unchanged')).toMatchObject({ asked: 5, found: 5 })
  expect(recallOf(proof, 'organisations', 'legalForm')).toMatchObject({ asked: 2, found: 2 })
  expect(recallOf(proof, 'persons', 'initial')).toMatchObject({ asked: 2 })
})

test('a listed name that is not found is named, and fails the check', async () => {
  const proof = await verify([...ROWS, 'B9,business,!!!,,,SAN'])
  expect(proof.ok).toBe(false)
  expect(recallOf(proof, 'organisations', 'unchanged')?.misses).toEqual([
    { list: 'ours', id: 'B9', name: '!!!', asked: '!!!', score: null },
  ])
  expect(proof.checks).toEqual([{ text: 'recall.unchanged < 100%', measured: '87.5% (7 of 8)', success: false }])
  expect(formatVerification(proof)).toContain('!!! (ours B9) as !!!: not found')
})

test('a miss below the threshold has its score', async () => {
  const proof = await verify(ROWS, { threshold: 100 })
  // A weak alias scores 95 at most.
  expect(recallOf(proof, 'organisations', 'unchanged')?.misses).toMatchObject([{ name: 'Varnix', score: 95 }])
})

test('innocents are searched as their kind, each once, and their alerts are named', async () => {
  const names = ['Varnix Steel', 'Lumora Foods', 'Lumora Foods', ' ', 'Zalmir Quorvath']
  const proof = await verify(ROWS, {
    innocents: [innocentsOf(names), innocentsOf(names, 'persons')],
    checks: [checkOf('alerts > 0%'), checkOf('alerts.persons > 400'), checkOf('alerts.organisations >= 334')],
  })
  expect(proof.innocents).toMatchObject([
    { names: 4, asked: 3, found: 1, alerts: [{ name: 'Varnix Steel', id: 'B1', match: 'Varnix Steel Ltd', score: 100 }] },
    { names: 4, asked: 3, found: 1, alerts: [{ name: 'Zalmir Quorvath', id: 'P1' }] },
  ])
  expect(proof.checks).toMatchObject([
    { measured: '33.3% (2 of 6)', success: false },
    { measured: '333.3 of 1,000 (1 of 3)', success: true },
    { success: true },
  ])
})

test('the same names in another order give the same sample, changes and figures', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => `B${at},business,Varnix ${'abcdefgh'[at % 8]}orvat${at} Steel Ltd,,,SAN`)
  const [one, other] = [await verify(rows, { sample: 10 }), await verify(rows.toReversed(), { sample: 10 })]
  expect(one.changed).toBe(10)
  expect(recallOf(one, 'organisations', 'unchanged')?.asked).toBe(40)
  const figures = (proof: typeof one) => proof.recall.map(({ change, asked, found }) => [change, asked, found])
  expect(figures(one)).toEqual(figures(other))
  expect(formatVerification(one)).toContain('40 listed names of 1 list, threshold 85; 10 of them, chosen by hash, with changes')
})

test('a verification can be stopped', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const onProgress = () => stop.abort(reason)
  await expect(verify(ROWS, { signal: stop.signal, onProgress })).rejects.toBe(reason)
})

test('a page and a text of hostile names run nothing and move no cursor', async () => {
  const proof = await verify(['B1,business,<script>x</script>\u001b[2J!,,,SAN', 'B2,business,"<>",,,SAN'])
  const page = renderVerification(proof, { name: 'fettle', version: '1.0.0' })
  expect(page).toContain('&lt;&gt;')
  expect(page).not.toMatch(/<script/)
  expect(formatVerification(proof)).not.toMatch(/\u001b/)
})

const CHANGED: readonly [Mutation, string, string | null][] = [
  ['accents', 'Anna Coen', 'Áññá Çöéñ'],
  ['order', 'Steel, Varnix', 'Varnix Steel'],
  ['legalForm', 'Varnix Steel, Ltd.', 'Varnix Steel'],
  ['transliteration', 'Юлия Щукина', 'iuliia shchukina'],
  ['transliteration', 'Khrabry Stal', 'храбри стал'],
  ['transliteration', '建成', null],
  ['cut30', 'a'.repeat(31), 'a'.repeat(30)],
  ['cut30', 'a'.repeat(30), null],
  ['joined', 'Varnix Steel', 'VarnixSteel'],
  ['split', 'Varnix', null],
  ['initial', "QUORVATH, 'Zalmir P", 'Z QUORVATH'],
  ['initial', 'Zalmir P Quorvath', 'Z P Quorvath'],
  ['initial', 'Quorvath', null],
]

test.each(CHANGED)('%s changes %s to %s', (change, name, expected) => {
  expect(MUTATIONS[change](name, () => 0, change === 'initial')).toBe(expected)
})

test('no change throws, and an error is one edit of the letters', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(name, fc.double({ min: 0, max: 0.999, noNaN: true }), fc.boolean(), (text, random, isPerson) => {
      for (const change of MUTATION_NAMES) expect(() => MUTATIONS[change](text, () => random, isPerson)).not.toThrow()
      const changed = MUTATIONS.oneError(text, () => random, isPerson)
      if (changed !== null) expect(Math.abs(changed.length - text.length)).toBeLessThanOrEqual(1)
    }),
  )
})

test.each([
  ['recall.unchanged', 'expected a measure'],
  ['recall.unchangd < 100%', 'did you mean recall.unchanged?'],
  ['recall.unchanged < 100', 'not a limit'],
  ['recall.unchanged < 101%', 'not a limit'],
  ['recall.companies.order < 90%', 'unknown measure'],
  ['alerts > 1.5', 'not a limit'],
])('the check %s is refused', (text, says) => {
  expect(parseCheck(text)).toMatchObject({ why: expect.stringContaining(says) })
})

test('what no name was searched for fails', () => {
  expect(judge(checkOf('recall.transliteration < 50%'), { asked: 0, found: 0 })).toMatchObject({ success: false })
})
