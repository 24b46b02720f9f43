/** The key `events`: the portfolio that it needs, and where its file may be. */
import { expect, test } from 'vitest'
import { parsePipelineValue } from '../../../src/pipeline/index.ts'

const BASE = {
  ...{ name: 'suppliers', input: 'in.csv', mappings: { name: 'Name', country: 'Country' }, output: 'out.csv' },
  portfolio: { name: 'Suppliers' },
}
const OPTIONS = { file: 'p.yml', env: {}, vars: {}, run: { date: '2026-03-31' } }
const messagesOf = (more: object): string[] =>
  parsePipelineValue({ ...BASE, ...more }, OPTIONS).issues.map(({ message }) => message)

test('it names a file of its portfolio, and is last and unmarked by default', () => {
  const { pipeline, issues } = parsePipelineValue({ ...BASE, events: { output: 'out/events.csv' } }, OPTIONS)
  expect(issues).toEqual([])
  expect(pipeline?.events).toEqual({ since: 'last', output: 'out/events.csv', mark: false })
})

test.each<[string, object, string]>([
  ['without a portfolio', { portfolio: undefined, events: { output: 'events.csv' } }, 'events come from a portfolio'],
  ['in the place of the output', { events: { output: './out.csv' } }, '"./out.csv" is output.path already'],
  ['in the place of the list', { events: { output: 'in.csv' } }, '"in.csv" is input already'],
  ['outside the project', { events: { output: '../events.csv' } }, 'is outside the project'],
  ['as an address', { events: { output: 's3://bucket/events.csv' } }, 'is an address'],
  ['as another format', { events: { output: 'events.xlsx' } }, 'a path ending in .csv'],
  ['since a date', { events: { since: '2026-01-01', output: 'events.csv' } }, 'last'],
])('%s it is refused', (_, more, says) => {
  expect(messagesOf(more).join('\n')).toContain(says)
})
