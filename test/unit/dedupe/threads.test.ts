import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { compareAside, compareCompanies } from '../../../src/dedupe/compare-companies.ts'
import { buildIndex, ListClusters } from '../../../src/service/matching/index.ts'
import { COMPANIES } from '../service/matching/companies.ts'

const script = fileURLToPath(new URL('../../../build/dedupe/compare-thread.js', import.meta.url))
const index = buildIndex(
  Array.from({ length: 600 }, (_, at) => {
    const { name, ...company } = COMPANIES[at % COMPANIES.length]!
    const id = String(at).padStart(4, '0')
    return { ...company, name: name.slice(0, 8 + (at % 23)), id, connectId: id, orgNumber: '' }
  }),
)
const formed = (found: readonly Float64Array[]) => new ListClusters(index).form(found)

test.each([1, 2, 3])('%i threads find what one process finds, in any order of their parts', async count => {
  const { signal } = new AbortController()
  const expected = formed(await compareCompanies(index, signal))
  const found = await compareAside(index, count, script, signal)
  expect(formed(found)).toEqual(expected)
  expect(formed(found.toReversed())).toEqual(expected)
  expect(expected.doubts.length).toBeGreaterThan(0)
  expect(new Set(expected.groups).size).toBeLessThan(600)
})

test('a call that is aborted ends with its reason, and a thread that fails with its error', async () => {
  const abort = new AbortController()
  const comparing = compareAside(index, 2, script, abort.signal)
  abort.abort(new Error('enough'))
  await expect(comparing).rejects.toThrow('enough')
  const { signal } = new AbortController()
  await expect(compareAside(index, 2, `${script}.none`, signal)).rejects.toThrow('Cannot find module')
})
