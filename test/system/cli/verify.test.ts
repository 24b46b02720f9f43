/** `fettle verify`: every edit of the files of a run is found and named. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { resealed } from '../../../src/journal/checksum.ts'
import { verifyRun } from '../../../src/runs/verify.ts'
import { fettle, folderOf, importRegister, lastLine, pipelineOf } from './fettle.ts'

beforeAll(importRegister)

const ROWS = `Company Name,Reg No,Country
Acme Forgings Ltd,01234567,GB
Bolton Castings Ltd,01234567,GB
Dundee Patterns Ltd,02345678,GB
Nobody Knows Us GmbH,99999999,DE
`
const OUTPUT = `output: {path: out/p.csv, columns: ["*", general.connectId, match.outcome], review: out/review.csv}
review: {decisions: decisions.csv}`

/** A run with an applied decision and a row left to review, and its result line. */
async function decidedRun() {
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', OUTPUT) })
  expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
  expect((await fettle(['review', '--export', 'csv', 'mine.csv'], { cwd })).code).toBe(0)
  const [head = [], ...rows] = parse(readFileSync(join(cwd, 'mine.csv'), 'utf8'), { bom: true }) as string[][]
  const [decision, company, number] = ['decision', 'company', 'row'].map(name => head.indexOf(name)) as [number, number, number]
  const lines = rows.map(row => row.with(decision, row[company] === 'GB-X-02345678' && row[number] === '3' ? 'accept' : ''))
  writeFileSync(join(cwd, 'mine.csv'), [head, ...lines].map(row => row.map(cell => `"${cell}"`).join(';')).join('\r\n'))
  const applied = await fettle(['review', '--apply', 'mine.csv', '--by', 'ann', '--json'], { cwd })
  expect(applied.code, applied.stderr).toBe(0)
  const line = lastLine(applied)
  const folder = join('fettle-runs', String(line.runId))
  const files = readdirSync(join(cwd, folder)).filter(name => name !== 'service')
  return { cwd, line, folder, paths: [...files.map(name => join(folder, name)), 'out/p.csv', 'out/review.csv'] }
}

type Edit = (bytes: Buffer, random: number) => Buffer
const place = (bytes: Buffer, random: number): number => Math.floor(random * bytes.length)
const EDITS: Readonly<Record<string, Edit>> = {
  'one bit': (bytes, random) => {
    const at = place(bytes, random)
    const edited = Buffer.from(bytes)
    edited[at] = edited[at]! ^ (1 << Math.floor((random * 1e6) % 8))
    return edited
  },
  'a byte removed': (bytes, random) => {
    const at = place(bytes, random)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
  },
  'a byte added': (bytes, random) => {
    const at = place(bytes, random)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from('7'), bytes.subarray(at)])
  },
  'cut short': (bytes, random) => bytes.subarray(0, place(bytes, random)),
  'a line repeated': (bytes, random) => {
    const lines = bytes.toString('latin1').split('\n')
    const at = place(Buffer.alloc(lines.length), random)
    return Buffer.from([...lines.slice(0, at + 1), ...lines.slice(at)].join('\n'), 'latin1')
  },
}

/** Edits one of the files after the other, and expects that `verify` names it each time. */
async function expectEditsFound(edits: number, paths: readonly string[], run: { readonly cwd: string; readonly id: string }) {
  const { cwd, id } = run
  const edit = fc.record({
    path: fc.constantFrom(...paths),
    kind: fc.constantFrom(...Object.keys(EDITS)),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(edit, async ({ path, kind, random }) => {
      const bytes = readFileSync(join(cwd, path))
      const edited = EDITS[kind]!(bytes, random)
      // Of a record that is empty nothing is left to tell of the run.
      fc.pre(!edited.equals(bytes) && (edited.length > 0 || !path.endsWith('pruned.jsonl')))
      writeFileSync(join(cwd, path), edited)
      const { faults } = await verifyRun(id, { runsDir: join(cwd, 'fettle-runs'), cwd })
      writeFileSync(join(cwd, path), bytes)
      expect(
        faults.map(({ at }) => at?.file.replace(`${cwd}/`, '')),
        `${kind} in ${path}`,
      ).toContain(path)
    }),
    { numRuns: edits },
  )
}

test('finds each of 200 random edits of the files of a run, names the file, and ends with 65', async () => {
  const { cwd, line, folder, paths } = await decidedRun()
  const intact = await fettle(['verify', '--json'], { cwd })
  expect(intact.stderr).toBe('')
  expect(lastLine(intact)).toMatchObject({ schema: 'fettle/verify/v1', ok: true, exitCode: 0, head: line.journal, faults: [] })
  expect(paths.length).toBeGreaterThan(10)
  await expectEditsFound(200, paths, { cwd, id: String(line.runId) })
  writeFileSync(join(cwd, folder, 'report.md'), 'edited')
  const edited = await fettle(['verify'], { cwd })
  expect(edited).toMatchObject({ code: 65, stdout: expect.stringContaining('1 fault') })
  expect(edited.stderr).toContain(`error FETTLE_VERIFY ${folder}/report.md`)
})

test('a file that the run did not write is named, also one with the name of a file that other runs write', async () => {
  const { cwd, line, folder } = await decidedRun()
  const added = ['enriched-7.csv.gz', 'enriched-0.csv', 'queue.json', 'rows.csv', 'x.txt']
  for (const name of added) writeFileSync(join(cwd, folder, name), 'x')
  const ended = await fettle(['verify', String(line.runId), '--json'], { cwd })
  expect([ended.code, lastLine(ended).notes]).toEqual([
    0,
    expect.arrayContaining(added.map(name => expect.stringContaining(`${folder}/${name} is not a file of the run`))),
  ])
})

test('only the owner can read the files of a run', async () => {
  const { cwd, folder } = await decidedRun()
  const modes = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(join(cwd, folder))
        .filter(name => name !== 'service')
        .map(name => [name, (statSync(join(cwd, folder, name)).mode & 0o777).toString(8)]),
    )
  expect(Object.keys(modes())).toContain('decisions.csv')
  expect(new Set(Object.values(modes())), JSON.stringify(modes())).toEqual(new Set(['600']))
})

test('a removed run: what is gone is named, and each edit of what is left is found', async () => {
  const { cwd, line } = await decidedRun()
  const runsDir = join(cwd, 'fettle-runs')
  const id = String(line.runId)
  expect((await fettle(['runs', 'prune', '--older-than', '1ms', '--all'], { cwd })).code).toBe(0)
  expect(readdirSync(runsDir)).not.toContain(id)
  const intact = await fettle(['verify', id, '--json', '--head', String(line.journal)], { cwd })
  expect(intact.code, intact.stderr).toBe(0)
  expect(lastLine(intact)).toMatchObject({
    ok: true,
    head: line.journal,
    removedAt: expect.any(String),
    notes: [expect.stringMatching(/^it was removed on .*: its journal, reports and received rows are gone$/)],
    files: [join('fettle-runs', 'pruned.jsonl'), 'out/p.csv', 'out/review.csv'].map(name => expect.stringContaining(name)),
  })
  expect((await fettle(['verify', 'p', '--head', '0123456789abcdef'], { cwd })).stderr).toContain('cannot be compared')
  await expectEditsFound(100, ['fettle-runs/pruned.jsonl', 'out/p.csv', 'out/review.csv'], { cwd, id })
  // What an interrupted removal left is removed by the next one, and costs are known meanwhile.
  mkdirSync(join(runsDir, id))
  writeFileSync(join(runsDir, id, 'report.md'), 'left')
  expect((await fettle(['costs', '--json'], { cwd })).code).toBe(0)
  expect((await fettle(['verify', id], { cwd })).stderr).toContain('its removal was interrupted')
  expect((await fettle(['runs', 'prune'], { cwd })).stdout).toContain(id)
  expect(readdirSync(runsDir)).not.toContain(id)
  for (const command of ['report', 'status', 'diff', 'review'])
    for (const name of [id, id.slice(0, 18), 'p']) {
      const { code, stderr } = await fettle([command, name], { cwd })
      expect([code, stderr], `${command} ${name}`).toEqual([2, expect.stringContaining(`the run ${id} was removed on 20`)])
      expect(stderr).toContain(`fettle verify ${id}`)
      expect(stderr).not.toMatch(/Did you mean|no file/)
    }
  expect((await fettle(['verify', 'nobody'], { cwd })).code).toBe(2)
})

describe('what a consistent edit cannot hide', () => {
  test('a journal with new checksums differs from the report, and from the result line', async () => {
    const { cwd, line, folder } = await decidedRun()
    const path = join(cwd, folder, 'journal.jsonl')
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const forged = lines.map(one => one.replace('"unmatched":1', '"unmatched":0'))
    writeFileSync(path, `${resealed(forged).join('\n')}\n`)
    const found = await fettle(['verify', String(line.runId), '--head', String(line.journal)], { cwd })
    expect(found.code).toBe(65)
    expect(found.stderr).toContain('is not the one of its report')
    expect(found.stderr).toContain(`has no line with the checksum ${line.journal}`)
    expect(found.stderr).toContain('does not add up')
  })

  test('a removed document, output, decision and journal are named; files of the next run are not a fault', async () => {
    const { cwd, line, folder } = await decidedRun()
    const id = String(line.runId)
    const missing = async (path: string): Promise<string> => {
      renameSync(join(cwd, path), join(cwd, 'away'))
      const { code, stderr } = await fettle(['verify', id], { cwd })
      renameSync(join(cwd, 'away'), join(cwd, path))
      expect(code).toBe(65)
      return stderr
    }
    expect(await missing(`${folder}/report.html`)).toContain('report.html is missing')
    expect(await missing(`${folder}/report.json`)).toContain('report.json is missing')
    expect(await missing(`${folder}/decisions.csv`)).toContain('decisions.csv is missing')
    expect(await missing(`${folder}/journal.jsonl`)).toContain('journal.jsonl is missing')
    expect(await missing('out/p.csv')).toContain('out/p.csv is missing')
    rmSync(join(cwd, folder, 'review.jsonl.gz'))
    writeFileSync(join(cwd, 'rows.csv'), `${ROWS}Dundee Patterns Ltd,,GB\n`)
    expect((await fettle(['run', 'p.yml', '--new', '-q'], { cwd })).code).toBe(0)
    const old = await fettle(['verify', id, '--json'], { cwd })
    expect(old.code, old.stderr).toBe(0)
    expect(lastLine(old).notes).toContain('out/p.csv is not compared: a later run replaced it')
  })
})

test('a run that was stopped is intact with a torn last line; one with a report that is ahead is not', async () => {
  const { cwd, line, folder } = await decidedRun()
  const path = join(cwd, folder, 'journal.jsonl')
  truncateSync(path, readFileSync(path).length - 3)
  const torn = await fettle(['verify', String(line.runId)], { cwd })
  expect(torn.code).toBe(65)
  expect(torn.stderr).toContain('ends with a torn line')
  expect(torn.stderr).toMatch(/the checksum of line \d+ was/)
  rmSync(join(cwd, folder, 'report.json'))
  const stopped = await fettle(['verify', String(line.runId), '--json'], { cwd })
  expect(lastLine(stopped).notes).toContainEqual(expect.stringContaining('which a resume drops'))
  expect((await fettle(['verify', 'p', '--head', 'x'], { cwd })).code).toBe(2)
})
