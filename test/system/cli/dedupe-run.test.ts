/** `dedupe:` in a pipeline: the groups of `fettle dedupe` beside the matches, whole, in shards, and after a review. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Ended, fettle, folderOf, importRegister, lastLine } from './fettle.ts'

beforeAll(importRegister, 120_000)

const LIST = `Ref,Company Name,Reg No,Country,Town
1,Acme Forgings Ltd,01234567,GB,
2,Nobody Knows Us GmbH,,DE,Bonn
3,ACME FORGINGS LIMITED,01234567,GB,Leeds
4,Bolton Castings Ltd,02345678,GB,Bolton
,,,,
6,Nobody Knows Us G.m.b.H.,,DE,Bonn
`
const pipeline = (dedupe: string, columns = ''): string => `name: p
input: { path: rows.csv, key: Ref }
mappings: { name: Company Name, orgNumber: Reg No, country: Country, town: Town }
poll: { every: 500ms, max: 500ms }
${dedupe}
output: { path: out/p.csv${columns} }
`
const place = (text: string): string => folderOf({ 'rows.csv': LIST, 'p.yml': text })
const QUIET = ['--json', '-q']

function ok(ended: Ended): Ended {
  expect(ended.code, ended.stderr).toBe(0)
  return ended
}

type Row = Readonly<Record<string, string>>
const readOutput = (cwd: string, path = 'out/p.csv'): Row[] =>
  parse(readFileSync(join(cwd, path)), { columns: true, bom: true, delimiter: [',', ';'] })
const groups = (rows: readonly Row[]): string[][] =>
  rows
    .filter(row => row['Company Name'] !== '')
    .map(row => ['dup.group', 'dup.size', 'dup.keep', 'dup.perhaps'].map(name => row[name] ?? 'absent'))

describe.concurrent('dedupe in a pipeline', { timeout: 300_000 }, () => {
  test('gives the groups of fettle dedupe, and keeps every row and its match', async () => {
    for (const keep of ['filled', 'first']) {
      const cwd = place(pipeline(`dedupe: { keep: ${keep} }`))
      ok(await fettle(['run', 'p.yml', ...QUIET], { cwd }))
      const found = readOutput(cwd)
      ok(await fettle(['dedupe', 'rows.csv', '--keep', keep, '-o', 'groups.csv', '-q'], { cwd }))
      expect(groups(found)).toEqual(groups(readOutput(cwd, 'groups.csv')))
      expect(groups(found).map(([, size]) => size)).toEqual(['2', '2', '2', '1', '2'])
      expect(
        groups(found)
          .map(([, , kept]) => kept)
          .slice(0, 3),
      ).toEqual(keep === 'first' ? ['yes', 'yes', 'no'] : ['no', expect.any(String), 'yes'])
      // An empty row is of no company.
      expect(found[4]).toMatchObject({ 'dup.group': '', 'dup.keep': '', 'match.outcome': 'skipped' })
      expect(found.map(row => row['match.outcome'])).toEqual([
        'matched',
        'unmatched',
        'duplicate',
        'matched',
        'skipped',
        'unmatched',
      ])
    }
  })

  test('gives the same from shards; its columns are chosen and renamed like others', async () => {
    const text = pipeline(
      'dedupe: true',
      ', columns: [Ref, { from: dup.group, as: group }, dup.keep, general.connectId, match.outcome]',
    )
    const cwd = place(text)
    ok(await fettle(['run', 'p.yml', ...QUIET], { cwd }))
    const wanted = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
    expect(wanted.split('\n')[0]).toBe('Ref,group,dup.keep,general.connectId,match.outcome')
    rmSync(join(cwd, 'out'), { recursive: true })
    for (const shard of ['1/2', '2/2']) ok(await fettle(['run', 'p.yml', '--shard', shard, ...QUIET], { cwd }))
    ok(await fettle(['merge', 'p', ...QUIET], { cwd }))
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe(wanted)
  })

  test('replaces the groups of an earlier output, and groups the first rows alone with a limit', async () => {
    const cwd = place(pipeline('dedupe: true'))
    writeFileSync(join(cwd, 'rows.csv'), LIST.replace(',,,,\n', ''))
    ok(await fettle(['run', 'p.yml', '--limit', '2', ...QUIET], { cwd }))
    expect(groups(readOutput(cwd)).map(([, size]) => size)).toEqual(['1', '1'])
    ok(await fettle(['run', 'p.yml', ...QUIET], { cwd }))
    const first = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
    writeFileSync(join(cwd, 'rows.csv'), first)
    const again = ok(await fettle(['run', 'p.yml', ...QUIET], { cwd }))
    expect(lastLine(again)).toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe(first)
  })

  test.each([
    ['dedupe: yes please', 'expected true, or a map with keep'],
    ['dedupe: []', 'expected true, or a map with keep'],
    ['dedupe: { keep: newest }', 'one of filled, first'],
    ['dedupe: { kept: first }', '"kept" is not part of dedupe'],
  ])('%s is refused', async (key, why) => {
    const { code, stderr } = await fettle(['check', 'p.yml'], { cwd: place(pipeline(key)) })
    expect(code).toBe(2)
    expect(stderr.replace(/\s+/g, ' ')).toContain(why)
  })

  test('needs an output and names, and its columns need it', async () => {
    const check = async (text: string) => (await fettle(['check', 'p.yml'], { cwd: place(text) })).stderr
    expect(await check(pipeline('dedupe: true').replace(/output: .*/, ''))).toContain('Name an output')
    expect(await check(pipeline('dedupe: true').replace('name: Company Name, ', ''))).toContain('Map name')
    expect(await check(pipeline('', ', columns: [dup.group]'))).toContain('dup.group')
  })
})
