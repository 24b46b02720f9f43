/** S43: files of a stranger (a pipeline, a project file, a cassette, a folder of a run) write nothing outside the working directory, and prove nothing. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ended, fettle, folderOf, lastLine, pipelineOf, project, ROWS, start } from '../../cli/fettle.ts'

const printed = ({ stdout, stderr }: Ended): string => `${stdout}\n${stderr}`

test.each([
  'junit=../outside/pom.xml',
  'markdown=ABSOLUTE/README.md',
  'html=out/linked/index.html',
  'json-events=../outside/x.jsonl',
  'openmetrics=../outside/m.prom',
])('the reporter %s of a project file is refused', async reporter => {
  const cwd = folderOf({ 'here/rows.csv': ROWS, 'here/p.yml': pipelineOf('p'), 'outside/keep': '' })
  const here = join(cwd, 'here')
  mkdirSync(join(here, 'out'))
  symlinkSync(join(cwd, 'outside'), join(here, 'out/linked'))
  const named = reporter.replace('ABSOLUTE', join(cwd, 'outside'))
  writeFileSync(join(here, 'fettle.yml'), `defaults: { reporters: [${JSON.stringify(named)}] }\n`)
  const ended = await fettle(['run', 'p.yml'], { cwd: here })
  expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining('outside the working directory')])
  expect(readdirSync(join(cwd, 'outside'))).toEqual(['keep'])
})

test.each([
  ['an output of DuckDB', 'output: {url: "duckdb:l.duckdb", table: t}', 'l.duckdb'],
  ['an output', 'output: l.csv', 'l.csv'],
  ['a link to a link', 'output: m.csv', 'l.csv'],
  ['decisions', 'output: o.csv\nreview: {decisions: l.csv}', 'l.csv'],
])('%s by a link that leads to nothing yet outside is refused', async (_, keys, name) => {
  const outside = folderOf()
  const cwd = project(keys)
  symlinkSync(join(outside, name), join(cwd, name))
  if (keys.includes('m.csv')) symlinkSync('l.csv', join(cwd, 'm.csv'))
  const ended = await fettle(['run', 'p.yml'], { cwd })
  expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining('FETTLE_PIPELINE_PATH')])
  expect(readdirSync(outside)).toEqual([])
})

test.each(['../dec.csv', '/anywhere/dec.csv', 'folder/dec.csv'])('decisions in %s are refused', async path => {
  const outside = folderOf({ 'dec.csv': '' })
  const cwd = project(`output: o.csv\nreview: {decisions: ${path}}`)
  symlinkSync(outside, join(cwd, 'folder'))
  const ended = await fettle(['check', 'p.yml'], { cwd })
  expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining('FETTLE_PIPELINE_PATH')])
})

test('a changed output is a fault although a later folder names it: only a run with a whole journal that recorded these bytes replaced it', async () => {
  const cwd = project('output: out/p.csv')
  expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
  const [id = ''] = readdirSync(join(cwd, 'fettle-runs')).filter(name => /^\d{8}T/.test(name))
  writeFileSync(join(cwd, 'out/p.csv'), 'forged\n')
  cpSync(join(cwd, 'fettle-runs', id), join(cwd, 'fettle-runs', '20991126T000000Z-p-aaaaaa'), { recursive: true })
  const forged = await fettle(['verify', id], { cwd })
  expect([forged.code, printed(forged)]).toEqual([65, expect.stringContaining('out/p.csv has changed since the run wrote it')])

  const other = project('output: out/p.csv')
  expect((await fettle(['run', 'p.yml', '-q'], { cwd: other })).code).toBe(0)
  const [first = ''] = readdirSync(join(other, 'fettle-runs')).filter(name => /^\d{8}T/.test(name))
  writeFileSync(join(other, 'rows.csv'), ROWS.split('\n').slice(0, 5).join('\n'))
  expect((await fettle(['run', 'p.yml', '-q', '--new'], { cwd: other })).code).toBeLessThan(2)
  const replaced = await fettle(['verify', first], { cwd: other })
  expect([replaced.code, printed(replaced)]).toEqual([0, expect.stringContaining('a later run replaced it')])
  writeFileSync(join(other, 'out/p.csv'), 'forged\n')
  expect((await fettle(['verify', first], { cwd: other })).code).toBe(65)
})

test('a cassette of a stranger is data: of its pipeline only the keys of a recording are unpacked, and nothing in them is filled in', async () => {
  const cwd = folderOf()
  const hostile = {
    name: 'a${OTHER_SECRET}',
    description: '${OTHER_SECRET}',
    vars: { x: '${OTHER_SECRET}' },
    service: { url: 'http://127.0.0.1:1/v1', username: 'u', password: '${OTHER_SECRET}' },
    notify: [{ to: 'http://127.0.0.1:1/n?x=${OTHER_SECRET}' }],
    review: { decisions: '../d.csv' },
    input: { path: 'http://127.0.0.1:1/', sql: 'select 1', url: 'duckdb:x', header: true },
    output: { path: '../x.csv', unmatched: '../y.csv', review: '../z.csv', format: 'csv', columns: ['*', '${OTHER_SECRET}'] },
    mappings: { name: { index: 0 }, country: { value: '${OTHER_SECRET}' } },
    portfolio: { name: 'p${OTHER_SECRET}', events: { output: '../e.csv' } },
    screen: { datasets: ['SAN'], output: '../s.csv' },
    retry: { attempts: 1, other: '${OTHER_SECRET}' },
  }
  writeFileSync(
    join(cwd, 'evil.jsonl'),
    `${JSON.stringify({ cassette: 1, fettle: '0', at: 0, pipeline: hostile, list: 'name\nAcme\n' })}\n`,
  )
  const under = start(['serve', '--replay', 'evil.jsonl', '--port', '0'], { cwd, input: null })
  await under.seen(/Ctrl-C/)
  under.child.kill('SIGTERM')
  expect((await under.ended).code).toBe(0)
  const text = readFileSync(join(cwd, 'evil.replay/pipeline.json'), 'utf8')
  const { $$: _, ...pipeline } = JSON.parse(text)
  expect(Object.keys(pipeline).sort()).toEqual(['input', 'mappings', 'name', 'output', 'portfolio', 'retry', 'screen'])
  expect(pipeline).toMatchObject({
    input: { header: true, path: 'evil.replay/list.csv' },
    output: { format: 'csv', path: 'evil.replay/result.csv' },
    screen: { datasets: ['SAN'] },
    retry: { attempts: 1 },
  })
  for (const gone of ['events', 'unmatched', 'sql', 'notify', 'service', 'other']) expect(text).not.toContain(gone)
  expect(text.replaceAll('$${', '')).not.toContain('${')
  expect(existsSync(join(cwd, '../x.csv'))).toBe(false)
  expect(
    lastLine(await fettle(['check', 'evil.replay/pipeline.json', '--json'], { cwd, env: { OTHER_SECRET: 'x' } })),
  ).toBeDefined()
})

test('a secret of notify without a byte after its prefix is refused before the run', async () => {
  const cwd = project('output: o.csv\nnotify: [{to: "http://127.0.0.1:1/n", secret: "${KEY}"}]')
  const ended = await fettle(['run', 'p.yml'], { cwd, env: { KEY: 'whsec_' } })
  expect([ended.code, printed(ended)]).toEqual([2, expect.stringContaining('messages would be signed with nothing')])
  expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
})
