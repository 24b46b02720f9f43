/** Streets, statuses and types from the entries of a register. */
import { expect, test } from 'vitest'
import { foundCompany, readStatus, readType, splitStreet } from '../../../../src/service/companies/facts.ts'
import { makeReport } from '../../../../src/service/companies/report.ts'
import { readTags } from '../../../../src/service/enrichment/tags.ts'
import { engine } from '../engine.ts'

test.each([
  ['1 Mill Lane', 'Mill Lane', '1'],
  ['12a, High Street', 'High Street', '12a'],
  ['12-14 High Street', 'High Street', '12-14'],
  ['Hauptstraße 5', 'Hauptstraße', '5'],
  ['Via Roma, 12/b', 'Via Roma, 12/b', ''],
  ['Rue de l’Église 7b', 'Rue de l’Église', '7b'],
  ['The Old Mill', 'The Old Mill', ''],
  ['Unit 31', 'Unit 31', ''],
  ['42', '42', ''],
  ['', '', ''],
  ['Platz des 17. Juni 3', 'Platz des 17. Juni 3', ''],
])('%j', (line, street, houseNumber) => {
  expect(splitStreet(line)).toEqual({ street, houseNumber })
})

test('a very long line is split in time', () => {
  expect(splitStreet(`${'1 '.repeat(100_000)}x`).houseNumber).toBe('')
})

test.each([
  ['active', 'Active'],
  ['Active - Proposal to Strike off', 'Pending'],
  ['In Liquidation', 'Pending'],
  ['dissolved', 'NonActive'],
  ['Inactive', 'NonActive'],
  ['dormant', 'Other'],
  [' ', ''],
])('the status %j is %j', (status, expected) => {
  expect(readStatus({ ...engine.at(0), status })).toBe(expected)
})

test.each([
  ['Acme Ltd', 'Ltd'],
  ['Acme GmbH', 'Ltd'],
  ['Acme LLP', 'NonLtd'],
  ['Acme', 'NotSet'],
])('the type of %j is %j', (name, expected) => {
  expect(readType({ ...engine.at(0), name })).toBe(expected)
})

test('industry codes and the day of incorporation are in searches, reports and tags', () => {
  const company = { ...engine.at(0), activities: ['24510 Casting of iron', 'Foundries'], incorporated: '2012-05-10' }
  const iron = { code: '24510', description: 'Casting of iron' }
  expect(foundCompany(company)).toMatchObject({ activity: iron, activityCode: '24510' })
  expect(makeReport(company, [])).toMatchObject({
    companySummary: { mainActivity: iron },
    companyIdentification: {
      basicInformation: { companyRegistrationDate: '2012-05-10T00:00:00Z', principalActivity: iron },
      activityClassifications: [{ activities: [iron, { description: 'Foundries' }] }],
    },
  })
  const tags = [
    'activityCode',
    'activityCode2',
    'activityCode2Desc.en',
    'principalActivity',
    'incorporationDate',
    'establishDate',
  ]
  expect(
    readTags(
      company,
      tags.map(tag => `general.${tag}`),
    ),
  ).toEqual({
    ...{
      'general.activityCode': '24510',
      'general.activityCode2Desc.en': 'Foundries',
      'general.principalActivity': 'Casting of iron',
    },
    ...{ 'general.incorporationDate': '2012-05-10', 'general.establishDate': '2012-05-10' },
  })
  expect(foundCompany(engine.at(0)).activity).toBeUndefined()
})
