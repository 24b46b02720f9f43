/** Names that people confirmed for companies: kept beside a register, found by other lists, kept when it is imported again. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { match } from '../../../../src/service/matching/index.ts'
import {
  type Alias,
  changeAliases,
  importRegister,
  openRegister,
  readAliases,
  registerDigest,
  registerInfo,
} from '../../../../src/service/registers/index.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fettle-aliases-'))
  await take('A,Quillon Castings Ltd,GB,00000001\nB,Marwick Metals Ltd,GB,00000002\n')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function take(rows: string): Promise<void> {
  const file = join(dir, 'companies.csv')
  await writeFile(file, `id,name,country,orgNumber\n${rows}`)
  await importRegister({ file, name: 'test', dir, now: new Date('2026-03-01T10:00:00.000Z') })
}

const alias = (name: string, company: string, fingerprint = name): Alias => ({
  name,
  company,
  companyName: '',
  by: 'Ada',
  at: '2026-03-02',
  fingerprint,
})
const change = (add: readonly Alias[], decided = add.map(one => one.fingerprint)) =>
  changeAliases(dir, 'test', { add, decided: new Set(decided) })

async function answer(name: string, country = 'GB') {
  const { index } = await openRegister(dir, ['test'])
  const { decision, why, candidates } = match(index, { name, country })
  return [decision, candidates[0] === undefined ? null : index.companies.id(candidates[0].company), why]
}

it('a confirmed name finds its company, and the explanation shows it', async () => {
  expect((await answer('The Old Forge Sheffield'))[0]).toBe('unmatched')
  const before = registerDigest(await registerInfo(dir, 'test'))
  expect(await change([alias('The Old Forge Sheffield', 'GB-X-00000001')])).toMatchObject({ added: 1, removed: 0, unknown: 0 })
  expect(await answer('Old Forge (Sheffield)')).toEqual(['matched', 'A', expect.stringContaining('confirmed name 1.00')])
  expect(registerDigest(await registerInfo(dir, 'test'))).not.toBe(before)
})

it('a confirmed name in Latin letters is a match where the name of the company is in another script', async () => {
  await take('A,ООО Ромашка,RU,\nB,Marwick Metals Ltd,GB,00000002\n')
  expect(await answer('OOO Romashka', 'RU')).toEqual(['review', 'A', expect.stringContaining('name 1.00')])
  await change([alias('OOO Romashka', 'RU-X-A')])
  for (const name of ['OOO Romashka', 'Romashka'])
    expect(await answer(name, 'RU')).toEqual(['matched', 'A', expect.stringContaining('confirmed name 1.00')])
})

it('confirmed names outlive an import, and a company that comes back has them again', async () => {
  await change([alias('The Old Forge Sheffield', 'GB-X-00000001')])
  await take('B,Marwick Metals Ltd,GB,00000002\n')
  expect((await answer('The Old Forge Sheffield'))[1]).not.toBe('A')
  await take('A,Quillon Castings Ltd,GB,00000001\nB,Marwick Metals Ltd,GB,00000002\nC,Third Ltd,GB,00000003\n')
  expect((await answer('The Old Forge Sheffield')).slice(0, 2)).toEqual(['matched', 'A'])
})

it('a decision that was undone takes its name away; other spellings are one name; unknown companies are counted', async () => {
  const [forge, mill] = [alias('The Old Forge', 'GB-X-00000001', 'row 1'), alias('Old Mill', 'GB-X-00000002', 'row 2')]
  const stranger = alias('Stranger', 'GB-X-99999999', 'row 3')
  expect(await change([forge, { ...forge, name: 'THE OLD FORGE LTD' }, mill, stranger])).toMatchObject({ added: 2, unknown: 1 })
  expect(await change([], ['row 1'])).toMatchObject({ added: 0, removed: 1 })
  expect(await change([mill])).toMatchObject({ added: 0, removed: 0 })
  expect(await readAliases(dir, await registerInfo(dir, 'test'))).toEqual([mill])
  expect((await readdir(join(dir, 'test'))).filter(file => file.startsWith('aliases-'))).toHaveLength(1)
  await change([], ['row 2'])
  expect((await registerInfo(dir, 'test')).aliases).toBeUndefined()
})

it('rejects a damaged file and an unknown register', async () => {
  await change([alias('The Old Forge', 'GB-X-00000001')])
  const { aliases } = await registerInfo(dir, 'test')
  await writeFile(join(dir, 'test', aliases!.file), '{"name":1}\n')
  await expect(openRegister(dir, ['test'])).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
  await expect(changeAliases(dir, 'other', { add: [], decided: new Set() })).rejects.toMatchObject({
    code: 'FETTLE_REGISTER_UNKNOWN',
  })
})
