/** Import, storage and lookup of officers. */
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { importRegister, openRegister } from '../../../../src/service/registers/index.ts'
import { temporaryFolder } from '../kit.ts'

const COMPANIES = 'id,name,country,orgNumber\n1,Acme Ltd,GB,01234567\n2,Bolt SA,FR,\n'

async function take(officers: string, companies = COMPANIES) {
  const folder = await temporaryFolder()
  const [file, people, dir] = ['companies.csv', 'officers.csv', 'registers'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await writeFile(file, companies)
  await writeFile(people, officers)
  const again = () => importRegister({ file, officers: people, name: 'test', dir, now: new Date(0) })
  const info = await again()
  const open = async () => {
    const register = await openRegister(dir, ['test'])
    onTestFinished(() => register.officers.close())
    return register.officers
  }
  return { info, open, again, folder: join(dir, 'test'), people, file, dir }
}

test('officers are found by company, person and last name', async () => {
  const { info, open } = await take(
    'companyId,personId,firstName,lastName,position,appointed,resigned,country\n' +
      '1,77,Ann,van der Berg,Director,2001-01-01,,\n2,77,Ann,van der Berg,Secretary,2002-01-01,2003-01-01,\n' +
      '1,,Bo,Berg,Director,,,SE\n2,,Bo,Berg,Director,,,SE\n9,,No,Body,,,,\n1,,,,,,,\n',
  )
  expect(info.officers).toMatchObject({ source: 'officers.csv', officers: 4, skipped: 2 })
  expect(info.officers?.skippedRows.map(row => row.why)).toEqual(['the register has no company with the id 9', 'no name'])
  const officers = await open()
  const told = (found: ReturnType<typeof officers.ofCompany>) => found.map(one => `${one.firstName} in ${one.connectId}`)
  expect(told(officers.ofCompany('GB-X-01234567'))).toEqual(['Ann in GB-X-01234567', 'Bo in GB-X-01234567'])
  expect(told(officers.ofPerson('GB-77'))).toEqual(['Ann in GB-X-01234567', 'Ann in FR-X-2'])
  expect(told(officers.bySurname('BERG', 10))).toHaveLength(4)
  expect(officers.bySurname('berg', 3)).toHaveLength(3)
  const [, bo] = officers.ofCompany('GB-X-01234567')
  // Two people of one name are not taken for one.
  expect(told(officers.ofPerson(bo?.peopleId ?? ''))).toEqual(['Bo in GB-X-01234567'])
  expect(bo?.peopleId).toMatch(/^SE-[A-Za-z0-9]+$/)
  expect([officers.ofCompany('GB-X-1'), officers.ofPerson('GB-78'), officers.bySurname('', 10)]).toEqual([[], [], []])
})

test('any name round-trips', async () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter(text => text.trim() === text && text !== '' && !/[\r\n]/.test(text))
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 8 }), async names => {
      const { open } = await take(`companyId,name\n${names.map(text => `2,"${text.replaceAll('"', '""')}"`).join('\n')}\n`)
      const officers = await open()
      expect(officers.ofCompany('FR-X-2').map(one => one.name)).toEqual(names)
      for (const one of officers.ofCompany('FR-X-2')) expect(officers.ofPerson(one.peopleId)).toContainEqual(one)
    }),
    { numRuns: 10 },
  )
})

test('a second import replaces the officers, and a failed one changes nothing', async () => {
  const { again, folder, people, open, file, dir } = await take('companyId,name\n1,Ann\n')
  await writeFile(people, 'companyId,name\n1,Bo\n2,Cy\n')
  await again()
  expect((await readdir(folder)).filter(name => name.startsWith('officers'))).toHaveLength(2)
  expect((await open()).size).toBe(2)
  await writeFile(people, 'name\nBo\n')
  await expect(again()).rejects.toMatchObject({ code: 'FETTLE_INPUT_HEADER' })
  expect((await open()).size).toBe(2)
  await importRegister({ file, name: 'test', dir, now: new Date(0) })
  expect((await open()).size).toBe(0)
  expect((await readdir(folder)).filter(name => name.startsWith('officers'))).toEqual([])
})

test('rejects officers without a usable row, or with less than half of the existing ones, unless forced', async () => {
  const { folder, people, open, file, dir } = await take('companyId,name\n1,Ann\n1,Bo\n2,Cy\n')
  const before = (await readdir(folder)).sort()
  const again = (force: boolean) => importRegister({ file, officers: people, name: 'test', dir, now: new Date(0), force })
  await writeFile(people, 'companyId,name\n9,Ann\n')
  await expect(again(false)).rejects.toMatchObject({
    code: 'FETTLE_INPUT_EMPTY',
    message: expect.stringContaining('0 officers; rows skipped: 1'),
  })
  await writeFile(people, 'companyId,name\n1,Ann\n')
  await expect(again(false)).rejects.toMatchObject({
    code: 'FETTLE_IMPORT_SHRINKS',
    message: expect.stringContaining('1 officers would replace 3'),
  })
  expect((await readdir(folder)).sort()).toEqual(before)
  expect((await open()).size).toBe(3)
  await again(true)
  expect((await open()).size).toBe(1)
})
