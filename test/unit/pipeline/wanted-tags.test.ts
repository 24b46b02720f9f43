/** A product without a list of tags: a run asks for those that something reads. */
import { expect, test } from 'vitest'
import { TAGS } from '../../../src/contract/index.ts'
import { wantedTags } from '../../../src/pipeline/model/wanted-tags.ts'
import { BASE, planOf } from './support.ts'

const READ = [
  ...['general.safeNumber', 'general.connectId', 'general.companyName', 'general.legalName', 'general.pattern'],
  ...['general.banding', 'general.bandingDesc', 'general.rowNumber', 'general.duplicate', 'general.duplicateId'],
]
const wanted = (more: string): readonly string[] => wantedTags(planOf(`${BASE}${more}`))

test('of a product, the output and the reports, in the order of the service', () => {
  expect(wanted('output: out.csv\n')).toEqual(READ)
  const more = wanted('enrich: basicPlus\noutput: { path: out.csv, columns: ["*", contact.city, general.siret] }\n')
  expect(new Set(more)).toEqual(new Set([...READ, 'contact.city', 'general.siret']))
  expect(more).toEqual(TAGS.basicPlus.filter(tag => more.includes(tag)))
})

test('all that are chosen, and all of the product where later runs use the answers', () => {
  expect(wanted('enrich: { product: basic, tags: [general.siret] }\noutput: out.csv\n')).toEqual([
    ...['general.siret', 'general.rowNumber', 'general.banding', 'general.pattern', 'general.connectId', 'general.companyName'],
  ])
  const tags = 'general.safeNumber, general.legalName'
  expect(wanted(`enrich: { product: basic, tags: [${tags}] }\noutput: out.csv\n`)).toEqual([
    ...['general.safeNumber', 'general.legalName', 'general.rowNumber', 'general.banding', 'general.pattern'],
  ])
  const reuse = `${BASE}reuse: { matched: 30d, unmatched: 7d, review: 7d }\noutput: out.csv\n`
  const service = { kind: 'remote', url: 'https://h/v1', rate: null, fileHosts: [], insecure: false } as const
  expect(wantedTags(planOf(reuse, {}, { service }))).toHaveLength(TAGS.basic.length)
  // The embedded service is asked again for everything.
  expect(wantedTags(planOf(reuse))).toEqual(READ)
})
