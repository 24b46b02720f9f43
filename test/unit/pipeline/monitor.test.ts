/** The keys `screen.monitor` and `screen.alerts`: what `true` means, and where the file may be. */
import { expect, test } from 'vitest'
import { parsePipelineValue } from '../../../src/pipeline/index.ts'

const BASE = { name: 'suppliers', input: 'in.csv', mappings: { name: 'Name', country: 'Country' }, output: 'out.csv' }
const OPTIONS = { file: 'p.yml', env: {}, vars: {}, run: { date: '2026-03-31' } }
const parse = (screen: object) => parsePipelineValue({ ...BASE, screen: { datasets: ['SAN'], ...screen } }, OPTIONS)

test.each([
  [true, { max: 0.2 }],
  [{ remove: 'gone' }, { max: null }],
  [{ remove: { max: '5%' } }, { max: 0.05 }],
])('monitor: %j', (monitor, remove) => {
  const { pipeline, issues } = parse({ monitor, alerts: 'out/alerts.csv' })
  expect(issues).toEqual([])
  expect(pipeline?.screen).toMatchObject({ monitor: { remove }, alerts: 'out/alerts.csv' })
})

test.each<[string, object, string]>([
  ['alerts without monitor', { alerts: 'alerts.csv' }, 'alerts are of searches under monitoring'],
  ['alerts in the place of the output', { monitor: true, alerts: './out.csv' }, '"./out.csv" is output.path already'],
  [
    'alerts in the place of decisions',
    { monitor: true, alerts: 'h.csv', decisions: 'h.csv' },
    '"h.csv" is screen.decisions already',
  ],
  ['alerts outside the project', { monitor: true, alerts: '../alerts.csv' }, 'is outside the project'],
  ['alerts as an address', { monitor: true, alerts: 's3://bucket/alerts.csv' }, 'is an address'],
  ['alerts in another format', { monitor: true, alerts: 'alerts.xlsx' }, 'a path ending in .csv'],
  ['monitor: false', { monitor: false }, 'screen.monitor: expected true'],
  ['people: owners', { people: 'owners' }, 'screen.people: expected directors'],
  ['directors without their tag', { people: 'directors' }, 'directors are known by directors.fullName'],
  ['a share without %', { monitor: { remove: { max: 5 } } }, 'screen.monitor.remove.max: expected a share such as 5%'],
  ['a map without max', { monitor: { remove: { most: '5%' } } }, '"most" is not part of screen.monitor.remove'],
])('%s is refused', (_, screen, says) => {
  expect(
    parse(screen)
      .issues.map(({ message }) => message)
      .join('\n'),
  ).toContain(says)
})
