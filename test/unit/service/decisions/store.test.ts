/** Trees and decisions in the database: nothing is changed or removed, whatever a later statement asks. */
import { expect, onTestFinished, test } from 'vitest'
import { DecisionStore } from '../../../../src/service/decisions/store.ts'
import { openDatabase } from '../../../../src/service/storage/database.ts'
import { temporaryFolder } from '../kit.ts'

test.each(['trees', 'decisions', 'decision_notes'])('rows of %s are neither changed nor removed', async table => {
  const database = openDatabase(await temporaryFolder())
  onTestFinished(() => database.close())
  const store = new DecisionStore(database, () => 5)
  const person = { id: 1, person: 2 }
  const content = {
    ...{
      name: 'Limits',
      templateId: 't',
      customerId: null,
      inputParams: null,
      scalarVariables: null,
      isReviewed: true,
      outcomes: [],
    },
    table: { rules: [{ name: 'a', when: { a: 'b' }, decision: 'accept' as const }], otherwise: 'refer' as const },
  }
  const tree = store.addVersion(person, 'one', null, content)
  store.add(person, {
    ...{ guid: 'one', version: tree.version, treeName: 'Limits', companyId: 'c', companyName: 'C', inputs: {}, rule: 'a' },
    ...{ status: 1, response: {}, originationId: null },
  })
  const [made] = store.list({ owner: 1 }, { limit: 1, offset: 0 }).decisions
  store.annotate(made!, 2, { notes: 'n' })
  const read = () => JSON.stringify(database.all(`SELECT * FROM ${table}`))
  const before = read()
  for (const sql of [
    `UPDATE ${table} SET rowid = rowid`,
    `DELETE FROM ${table}`,
    `UPDATE ${table} SET ${table === 'trees' ? 'record' : 'at'} = 1`,
  ])
    expect(() => database.run(sql), sql).toThrow()
  expect(read()).toBe(before)
})
