/** The proof of the screening that a pipeline asks for: once for the same lists, and nothing passes without it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { check } from '../../../src/index.ts'
import { findScreeningDir, proveLists } from '../../../src/prepare/registers.ts'
import { importList } from '../../../src/service/screening/index.ts'
import { temporaryFolder } from '../service/kit.ts'

const ROWS = ['B1,business,Varnix Steel Ltd,SAN', 'B2,business,Navix Immobilien GmbH,AM', 'P1,individual,"Quorvath, Zalmir",SAN']

async function machine() {
  const data = await temporaryFolder()
  const env = { FETTLE_DATA: data }
  const proofs = join(data, 'proofs')
  return {
    env,
    async add(rows: readonly string[]) {
      const file = join(await temporaryFolder(), 'list.csv')
      await writeFile(file, ['id,type,name,datasets', ...rows, ''].join('\n'))
      await importList({ kind: 'csv', file, name: 'ours', dir: findScreeningDir(data), now: new Date(0), force: true })
    },
    prove: async (fail: readonly string[], sample = 2000) => {
      const verify = { fail: [...fail], sample }
      const issues = await proveLists({ datasets: ['SAN'], threshold: 85, countries: [], budget: null, verify }, env, null)
      return issues.map(({ code, message }) => `${code} ${message}`)
    },
    kept: () => readdirSync(proofs).map(name => join(proofs, name)),
  }
}

test('lists are proved once, and again once they change', async () => {
  const here = await machine()
  expect(await here.prove(['recall.unchanged < 100%'])).toEqual(['FETTLE_SCREENING_PROOF no screening list was imported'])
  await here.add(ROWS)
  const passed = await here.prove(['recall.unchanged < 100%'])
  expect(passed).toEqual([
    expect.stringMatching(
      /^FETTLE_SCREENING_PROVED .* of ours was proved on \d{4}-\d\d-\d\d: recall\.unchanged 100\.0% \(3 of 3\)$/,
    ),
  ])
  const [path] = here.kept()
  const { proof } = JSON.parse(readFileSync(path!, 'utf8'))
  expect(await here.prove(['recall.unchanged < 100%'])).toEqual(passed)
  expect(here.kept()).toEqual([path])
  await here.add([...ROWS, 'B3,business,Feldmoor Trust,SAN'])
  expect(await here.prove(['recall.unchanged < 100%'])).toEqual([expect.stringContaining('(4 of 4)')])
  expect(here.kept()).toHaveLength(2)
  expect(proof.names).toBe(3)
})

test('a limit that holds refuses the run, also the second time', async () => {
  const here = await machine()
  await here.add(ROWS)
  // Nothing is cut off at 30 characters: what was not asked is not proved.
  const refused = ['FETTLE_SCREENING_PROOF screen.verify: recall.cut30 < 100%: not measured: no name was searched']
  expect(await here.prove(['recall.unchanged < 100%', 'recall.cut30 < 100%'])).toEqual(refused)
  expect(await here.prove(['recall.unchanged < 100%', 'recall.cut30 < 100%'])).toEqual(refused)
})

test.each([
  ['edited', (text: string) => text.replaceAll('"success":false', '"success":true')],
  ['cut', (text: string) => text.slice(0, -10)],
  ['empty', () => ''],
])('a kept proof that was %s is not believed', async (_, edit) => {
  const here = await machine()
  await here.add(ROWS)
  const [first] = await here.prove(['recall.cut30 < 100%'])
  const [path] = here.kept()
  writeFileSync(path!, edit(readFileSync(path!, 'utf8')))
  expect(await here.prove(['recall.cut30 < 100%'])).toEqual([first])
})

test('all limits that are wrong are named at once, and nothing is searched', async () => {
  const here = await machine()
  expect(await here.prove(['recall.unchangd < 100%', 'alerts > 3', 'recall.order < 90%'])).toEqual([
    expect.stringContaining('did you mean recall.unchanged?'),
    'FETTLE_PIPELINE_VALUE screen.verify.fail "alerts > 3": a pipeline has no innocents',
  ])
})

test('a pipeline is refused by the proof, and at another service by the key', async () => {
  const here = await machine()
  await here.add(ROWS)
  const pipeline = (verify: true | { fail: string[] }) => ({
    name: 'proved',
    register: 'sample',
    input: 'samples/clean.csv',
    mappings: { name: 'name', country: 'country' },
    output: 'out/proved.csv',
    screen: { datasets: ['SAN' as const], verify },
  })
  const find = async (verify: true | { fail: string[] }, env: object = {}) => {
    const { ok, issues } = await check(pipeline(verify), { env: { ...here.env, ...env } })
    return { ok, codes: issues.map(({ code }) => code) }
  }
  expect(await find(true)).toMatchObject({ ok: true, codes: expect.arrayContaining(['FETTLE_SCREENING_PROVED']) })
  expect(await find({ fail: ['recall.cut30 < 100%'] })).toMatchObject({
    ok: false,
    codes: expect.arrayContaining(['FETTLE_SCREENING_PROOF']),
  })
  const remote = { FETTLE_URL: 'http://127.0.0.1:9/v1', FETTLE_USERNAME: 'me', FETTLE_PASSWORD: 'secret' }
  expect(await find(true, remote)).toMatchObject({ ok: false, codes: expect.arrayContaining(['FETTLE_PIPELINE_VALUE']) })
})
