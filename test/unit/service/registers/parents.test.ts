/** Parents of companies: by a column, and by the relationship records of GLEIF. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tagValue } from '../../../../src/service/enrichment/tags.ts'
import { type ImportRequest, importRegister } from '../../../../src/service/registers/import/import.ts'
import { openRegister, readCompanies } from '../../../../src/service/registers/index.ts'
import { temporaryFolder } from '../kit.ts'

const TAGS = ['parent', 'ultimateParent'].flatMap(step => ['id', 'name', 'country'].map(part => `group.${step}.${part}`))

async function machine() {
  const folder = await temporaryFolder()
  const dir = join(folder, 'registers')
  return {
    async take(companies: string, more: Partial<ImportRequest> & { records?: string } = {}) {
      const { records, ...request } = more
      const file = join(folder, 'companies.csv')
      const relations = records === undefined ? undefined : join(folder, 'rr.csv')
      await writeFile(file, companies)
      if (relations !== undefined) await writeFile(relations, records!)
      return importRegister({ file, relations, name: 'test', dir, now: new Date(0), ...request })
    },
    /** The values of the tags of each company that has one, by its id. */
    async tags(info: Awaited<ReturnType<typeof importRegister>>) {
      const found: Record<string, string[]> = {}
      const row = { outcome: 'matched' } as unknown as Parameters<typeof tagValue>[1]
      const { index, officers } = await openRegister(dir, ['test'])
      officers.close()
      let place = 0
      for await (const company of readCompanies(dir, info)) {
        // What jobs read is what was imported.
        expect(index.companies.at(place++).group).toEqual(company.group)
        const values = TAGS.map(tag => tagValue(tag, row, company, () => []))
        if (values.some(value => value !== '')) found[company.id] = values
        expect(company).not.toHaveProperty('parent')
      }
      return found
    },
  }
}

test('a column of parents gives the company above and the last one above that', async () => {
  const { take, tags } = await machine()
  const info = await take(
    [
      'id,name,country,orgNumber,Parent',
      '1,Top AG,DE,,',
      '2,Middle Ltd,GB,01234567,1',
      '3,Low Ltd,GB,,2',
      '4,Other SA,FR,,X-9',
      '',
    ].join('\n'),
  )
  expect(await tags(info)).toEqual({
    2: ['DE-X-1', 'Top AG', 'DE', 'DE-X-1', 'Top AG', 'DE'],
    3: ['GB-X-01234567', 'Middle Ltd', 'GB', 'DE-X-1', 'Top AG', 'DE'],
    // The register does not have it: its id alone is known.
    4: ['X-9', '', '', 'X-9', '', ''],
  })
})

test('companies that name each other in a circle have a parent and no last one', async () => {
  const { take, tags } = await machine()
  const info = await take('id,name,parent\n1,A,2\n2,B,1\n3,C,3\n4,D,1\n')
  expect(await tags(info)).toEqual({
    1: ['XX-X-2', 'B', '', '', '', ''],
    2: ['XX-X-1', 'A', '', '', '', ''],
    4: ['XX-X-1', 'A', '', '', '', ''],
  })
})

const LEI = 'LEI,Entity.LegalName,Entity.LegalAddress.Country,Entity.EntityStatus'
const RR =
  'Relationship.StartNode.NodeID,Relationship.StartNode.NodeIDType,Relationship.EndNode.NodeID,Relationship.EndNode.NodeIDType,Relationship.RelationshipType,Relationship.RelationshipStatus,Registration.RegistrationStatus'
const relation = (start: string, end: string, type: string, status = 'ACTIVE', record = 'PUBLISHED'): string =>
  `${start},LEI,${end},LEI,${type},${status},${record}`
const [DIRECT, ULTIMATE] = ['IS_DIRECTLY_CONSOLIDATED_BY', 'IS_ULTIMATELY_CONSOLIDATED_BY']
const COMPANIES = [LEI, 'L1,Top AG,DE,ACTIVE', 'L2,Middle Ltd,GB,ACTIVE', 'L3,Low Ltd,GB,ACTIVE', 'L4,Fund,LU,ACTIVE', ''].join(
  '\n',
)

test('records of GLEIF that are active and published name parents; a changed file is imported again', async () => {
  const { take, tags } = await machine()
  const lines = [
    relation('L2', 'L1', DIRECT!),
    relation('L2', 'L1', ULTIMATE!),
    relation('L3', 'L2', DIRECT!),
    relation('L3', 'L1', ULTIMATE!),
    relation('L4', 'L1', 'IS_FUND-MANAGED_BY'),
    relation('L1', 'L9', DIRECT!, 'INACTIVE'),
    relation('L1', 'L9', ULTIMATE!, 'ACTIVE', 'LAPSED'),
  ]
  const all = { kind: 'gleif', records: [RR, ...lines, ''].join('\n') } as const
  const info = await take(COMPANIES, all)
  expect(info.relations).toMatchObject({ source: 'rr.csv', companies: 2 })
  const top = ['DE-X-L1', 'Top AG', 'DE']
  expect(await tags(info)).toEqual({ L2: [...top, ...top], L3: ['GB-X-L2', 'Middle Ltd', 'GB', ...top] })
  expect((await take(COMPANIES, all)).importedAt).toBe(info.importedAt)
  const changed = await take(COMPANIES, { ...all, records: [RR, lines[0]!, ''].join('\n'), now: new Date(1) })
  expect(await tags(changed)).toEqual({ L2: [...top, ...top] })
  // Without the file nothing is known any more.
  expect(await tags(await take(COMPANIES, { kind: 'gleif', now: new Date(2) }))).toEqual({})
})

test('a file that does not have relationships is refused, and the register stays as it was', async () => {
  const { take } = await machine()
  await take(COMPANIES, { kind: 'gleif' })
  const wrong = take(COMPANIES, { kind: 'gleif', records: `${LEI}\n` })
  await expect(wrong).rejects.toMatchObject({ code: 'FETTLE_INPUT_HEADER', message: expect.stringContaining('StartNode') })
  await expect(take(COMPANIES, { kind: 'gleif', records: '' })).rejects.toMatchObject({ code: 'FETTLE_INPUT_EMPTY' })
  expect(await take(COMPANIES, { kind: 'gleif', now: new Date(5) })).toMatchObject({ importedAt: new Date(0).toISOString() })
})

test('the last company is the root of its tree, for any forest', async () => {
  const { take, tags } = await machine()
  // Each company may have a parent with a smaller number: no circle.
  const forest = fc
    .array(fc.nat(), { minLength: 1, maxLength: 30 })
    .map(numbers => numbers.map((number, at) => (at === 0 || number % 3 === 0 ? null : number % at)))
  await fc.assert(
    fc.asyncProperty(forest, async parents => {
      const rows = parents.map((parent, at) => `c${at},Company ${at},${parent === null ? '' : `c${parent}`}`)
      const found = await tags(await take(['id,name,parent', ...rows, ''].join('\n'), { force: true }))
      const root = (at: number): number => (parents[at] === null ? at : root(parents[at]!))
      for (const [at, parent] of parents.entries())
        expect(found[`c${at}`]?.slice(0, 5) ?? null).toEqual(
          parent === null ? null : [`XX-X-c${parent}`, `Company ${parent}`, '', `XX-X-c${root(at)}`, `Company ${root(at)}`],
        )
    }),
    { numRuns: 20 },
  )
})
