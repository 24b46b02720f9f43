/** Streets, statuses and types from the entries of a register. */
import { expect, test } from 'vitest'
import { splitStreet, statusOf, typeOf } from '../../../../src/service/companies/facts.ts'
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
  expect(statusOf({ ...engine.at(0), status })).toBe(expected)
})

test.each([
  ['Acme Ltd', 'Ltd'],
  ['Acme GmbH', 'Ltd'],
  ['Acme LLP', 'NonLtd'],
  ['Acme', 'NotSet'],
])('the type of %j is %j', (name, expected) => {
  expect(typeOf({ ...engine.at(0), name })).toBe(expected)
})
