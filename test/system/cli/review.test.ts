/** `fettle review`: decisions by table, by file and at a terminal; kept, applied, applied again on the next run, and taken back. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { BINARY, ENVIRONMENT, fettle, folderOf, follow, importRegister, lastLine, pipelineOf } from './fettle.ts'

beforeAll(importRegister)

const ROWS = `Company Name,Reg No,Country
Acme Forgings Ltd,01234567,GB
Bolton Castings Ltd,01234567,GB
Dundee Patterns Ltd,02345678,GB
Nobody Knows Us GmbH,99999999,DE
`
const OUTPUT =
  'output: {path: out/p.csv, columns: [Company Name, general.connectId, match.outcome, match.why], review: out/review.csv}'.replace(
    'Company Name',
    '"*"',
  )
const NAMED = `${OUTPUT.replace('{', '{onFail: replace, ')}\nreview: {decisions: decisions/p.csv}\nchecks: {review: {fail: "> 0"}}`

/** A run with two rows to review. */
async function reviewed(more = OUTPUT, code = 0): Promise<string> {
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', more) })
  expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(code)
  return cwd
}

const read = (cwd: string, path: string): string => readFileSync(join(cwd, path), 'utf8')
const table = (text: string): string[][] => parse(text, { bom: true })
const outcomes = (cwd: string): (string | undefined)[] =>
  table(read(cwd, 'out/p.csv'))
    .slice(1)
    .map(row => row[4])
const report = (cwd: string) => JSON.parse(read(cwd, `fettle-runs/${read(cwd, 'fettle-runs/latest').trim()}/report.json`))

/** The exported table with a word written beside every company of this id. */
async function decided(cwd: string, decisions: Readonly<Record<string, string>>, name = 'mine.csv'): Promise<void> {
  expect((await fettle(['review', '--export', 'csv', 'review.csv'], { cwd })).code).toBe(0)
  const [head, ...rows] = table(read(cwd, 'review.csv'))
  const [decision, company] = [head!.indexOf('decision'), head!.indexOf('company')]
  const lines = rows.map(row => row.with(decision, decisions[row[company]!] ?? ''))
  writeFileSync(join(cwd, name), [head!, ...lines].map(row => row.map(cell => `"${cell}"`).join(';')).join('\r\n'))
}

describe.concurrent('a review by table', () => {
  test('there and back: every candidate has a line, what is written into it is applied and kept', async () => {
    const cwd = await reviewed(NAMED, 1)
    expect(outcomes(cwd)).toEqual(['matched', 'review', 'review', 'unmatched'])
    expect(report(cwd).results[0]).toMatchObject({
      credits: 0,
      reasons: { 'unknown-number-and-name': 1 },
      review: [{ reason: 'number-and-name-disagree' }, { reason: 'number-and-name-disagree' }],
    })
    await decided(cwd, { 'GB-X-02345678': 'accept' })
    const rows = table(read(cwd, 'review.csv'))
    expect(rows[0]).toEqual([
      ...['row', 'name', 'decision', 'companyName', 'score', 'reason', 'row.orgNumber', 'company.orgNumber', 'row.country'],
      ...['company.country', 'company', 'by', 'at', 'expires', 'fingerprint'],
    ])
    expect(rows.filter(row => row[0] === '2').map(row => row[3])).toEqual(['BOLTON CASTINGS LIMITED', 'ACME FORGINGS LIMITED'])
    const applied = await fettle(['review', '--apply', 'mine.csv', '--by', 'ann', '--json'], { cwd })
    // Both rows name that number or that company: one is it, the other was given it by its number.
    expect(lastLine(applied)).toMatchObject({
      totals: { matched: 1, manualMatched: 2, review: 0, unmatched: 1 },
      status: 'success',
    })
    expect(applied.code).toBe(0)
    expect(outcomes(cwd)).toEqual(['matched', 'manualMatched', 'manualMatched', 'unmatched'])
    expect(table(read(cwd, 'out/p.csv'))[2]).toEqual(
      expect.arrayContaining(['GB-X-02345678', expect.stringMatching(/^accepted by ann, \d{4}-\d\d-\d\d \| name/)]),
    )
    expect(table(read(cwd, 'out/review.csv'))).toHaveLength(1)
    const [columns, ...kept] = table(read(cwd, 'decisions/p.csv'))
    expect(columns).toEqual(['fingerprint', 'decision', 'company', 'companyName', 'name', 'by', 'at', 'expires'])
    expect(kept.map(line => line.slice(1, 6))).toEqual([
      ['accept', 'GB-X-02345678', 'BOLTON CASTINGS LIMITED', 'Bolton Castings Ltd', 'ann'],
      ['accept', 'GB-X-02345678', 'BOLTON CASTINGS LIMITED', 'Dundee Patterns Ltd', 'ann'],
    ])
    expect(report(cwd)).toMatchObject({ status: 'success', totals: { manualMatched: 2 }, ledger: { adds: true } })

    // The next run has them, and the ledger still adds up; its check no longer fails.
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
    expect(report(cwd)).toMatchObject({
      totals: { rows: 4, matched: 1, manualMatched: 2, review: 0, unmatched: 1 },
      results: [{ decisions: { accepted: 2, unused: 0 } }],
      ledger: { adds: true },
    })

    // Taken back, the rows are open again.
    await decided(cwd, { 'GB-X-02345678': 'undo' })
    expect((await fettle(['review', '--apply', 'mine.csv'], { cwd })).code).toBe(1)
    expect(outcomes(cwd)).toEqual(['matched', 'review', 'review', 'unmatched'])
    expect(table(read(cwd, 'decisions/p.csv'))).toHaveLength(1)
  })

  test('`later` leaves a row open, and a word that is not a decision is refused with its line', async () => {
    const cwd = await reviewed()
    await decided(cwd, { 'GB-X-02345678': 'Later' })
    expect((await fettle(['review', '--apply', 'mine.csv'], { cwd })).stderr).toContain('nothing was decided')
    await decided(cwd, { 'GB-X-02345678': 'ok' })
    expect(await fettle(['review', '--apply', 'mine.csv'], { cwd })).toMatchObject({
      code: 65,
      stderr: expect.stringMatching(/mine\.csv:2[\s\S]*"ok" is not a decision: expected accept, reject, later or undo/),
    })
  })

  test('a rejection is of a pair: when all are rejected the row is unmatched', async () => {
    const cwd = await reviewed()
    await decided(cwd, { 'GB-X-02345678': 'reject', 'GB-X-01234567': 'reject' })
    const { code, stderr } = await fettle(['review', '--apply', 'mine.csv'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain('add this to the pipeline:  review: { decisions: decisions/p.csv }')
    expect(outcomes(cwd)).toEqual(['matched', 'unmatched', 'review', 'unmatched'])
    expect(existsSync(join(cwd, 'decisions/p.csv'))).toBe(true)
  })

  test('as a workbook, and as a page with all rows', async () => {
    const cwd = await reviewed()
    expect((await fettle(['review', '--export', 'xlsx', 'r.xlsx', '--export', 'html', 'r.html'], { cwd })).code).toBe(0)
    expect(read(cwd, 'r.xlsx').slice(0, 2)).toBe('PK')
    // Nothing is written into it yet.
    expect((await fettle(['review', '--apply', 'r.xlsx'], { cwd })).stderr).toContain('nothing was decided')
    expect(read(cwd, 'r.html')).toContain('GB-X-02345678')
  })

  test('no file of the user is replaced, and what cannot be done is reported', async () => {
    const cwd = await reviewed()
    const { code, stderr } = await fettle(['review', '--export', 'csv', 'rows.csv'], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not an earlier export; refusing to overwrite it')])
    expect(read(cwd, 'rows.csv')).toBe(ROWS)
    expect(await fettle(['review', '--export', 'pdf', 'r.pdf'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected csv, xlsx, html or hits'),
    })
    expect(await fettle(['review'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 rows to review, but this is not a terminal[\s\S]*--export csv FILE/),
    })
    writeFileSync(join(cwd, 'bad.csv'), 'fingerprint,decision\nx,accept\n')
    expect(await fettle(['review', '--apply', 'bad.csv'], { cwd })).toMatchObject({
      code: 65,
      stderr: expect.stringMatching(/FETTLE_DECISIONS[\s\S]*bad\.csv:2/),
    })
    writeFileSync(join(cwd, 'rows.csv'), ROWS.replace('Acme', 'Acme2'))
    await decided(cwd, { 'GB-X-02345678': 'accept' })
    expect(await fettle(['review', '--apply', 'mine.csv'], { cwd })).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('FETTLE_INPUT_CHANGED'),
    })
    expect(outcomes(cwd)).toEqual(['matched', 'review', 'review', 'unmatched'])
  })

  test('decisions are neither read nor written through a link out of the project, and the pipeline is refused', async () => {
    const cwd = await reviewed()
    await decided(cwd, { 'GB-X-02345678': 'accept' })
    const outside = folderOf({ 'kept.txt': '' })
    symlinkSync(outside, join(cwd, 'decisions'))
    const refused = { code: 2, stderr: expect.stringContaining('decisions/p.csv leads out of the project') }
    expect(await fettle(['review', '--apply', 'mine.csv'], { cwd })).toMatchObject(refused)
    expect(readdirSync(outside)).toEqual(['kept.txt'])
    // A file that the user names may lie anywhere.
    const named = ['review', '--apply', 'mine.csv', '--decisions', join(outside, 'd.csv')]
    expect((await fettle(named, { cwd })).code).toBe(0)
    expect(readdirSync(outside)).toEqual(['d.csv', 'kept.txt'])
  })

  test('an export has the reasons in words, and does not replace one with decisions that were not applied', async () => {
    const cwd = await reviewed()
    const again = () => fettle(['review', '--export', 'csv', 'review.csv'], { cwd })
    const first = await again()
    expect(first.code).toBe(0)
    const command = first.stderr.match(/then: (fettle review \S+ --apply review\.csv)/)?.[1]
    expect(command).toBeDefined()
    const filled = read(cwd, 'review.csv').replace(/^(2|3),([^,]*),,(BOLTON[^,]*)/gm, '$1,$2,accept,$3')
    writeFileSync(join(cwd, 'review.csv'), filled)
    expect(filled).toMatch(/"name \d+% alike, (?:same|different) number, same country/)
    expect(await again()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/2 decisions that were not applied[\s\S]*\(fettle review \S+ --apply review\.csv\)/),
    })
    expect(read(cwd, 'review.csv')).toBe(filled)
    expect((await fettle(String(command).split(' ').slice(1), { cwd })).code).toBe(0)
    expect((await again()).code).toBe(0)
  })

  test('a decisions file is looked through before anything is sent', async () => {
    const cwd = folderOf({
      'rows.csv': ROWS,
      'p.yml': pipelineOf('p', NAMED),
      'decisions/p.csv': 'fingerprint,decision\nx,accept\n',
    })
    expect(await fettle(['run', 'p.yml'], { cwd })).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('decisions/p.csv:2'),
    })
    expect(existsSync(join(cwd, 'out'))).toBe(false)
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', `${OUTPUT}\nreview: {decisions: decisions/q.csv}`))
    expect(await fettle(['check', 'p.yml'], { cwd })).toMatchObject({ code: 0 })
    for (const wrong of ['rows.csv', 'out/p.csv', 'd.txt'])
      expect(
        (
          await fettle(['check', 'p.yml'], {
            cwd: folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', `${OUTPUT}\nreview: {decisions: ${wrong}}`) }),
          })
        ).code,
      ).toBe(2)
  })

  test('a run or merge that would undo applied decisions refuses before it writes; --drop-decisions undoes them', async () => {
    const cwd = await reviewed()
    await decided(cwd, { 'GB-X-02345678': 'accept' })
    expect((await fettle(['review', '--apply', 'mine.csv'], { cwd })).code).toBe(0)
    const corrected = read(cwd, 'out/p.csv')
    const refused = (stderr: RegExp) => ({ code: 65, stderr: expect.stringMatching(stderr) })
    const about = 'FETTLE_DECISIONS_LOST[\\s\\S]*about 2 rows'
    expect(await fettle(['run', 'p.yml'], { cwd })).toMatchObject(
      refused(new RegExp(`${about}[\\s\\S]*review: \\{ decisions: decisions/p.csv \\}`)),
    )
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', `${OUTPUT}\nreview: {decisions: decisions/q.csv}`))
    expect(await fettle(['run', 'p.yml'], { cwd })).toMatchObject(refused(new RegExp(`${about}[\\s\\S]*no file decisions/q.csv`)))
    expect(read(cwd, 'out/p.csv')).toBe(corrected)
    expect(readdirSync(join(cwd, 'fettle-runs')).filter(name => name.startsWith('2'))).toHaveLength(1)
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', NAMED))
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
    expect(read(cwd, 'out/p.csv')).toBe(corrected)
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', OUTPUT))
    expect((await fettle(['run', 'p.yml', '-q', '--shard', '1/1'], { cwd })).code).toBe(0)
    expect(await fettle(['merge', 'p'], { cwd })).toMatchObject(
      refused(new RegExp(`${about}[\\s\\S]*fettle merge --drop-decisions p`)),
    )
    expect(read(cwd, 'out/p.csv')).toBe(corrected)
    expect((await fettle(['merge', 'p', '-q', '--drop-decisions'], { cwd })).code).toBe(0)
    expect(outcomes(cwd)).toEqual(['matched', 'review', 'review', 'unmatched'])
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
  })

  test('clean finds the decisions about its list again', async () => {
    const cwd = folderOf({ 'rows.csv': ROWS })
    const clean = ['clean', 'rows.csv', '-o', 'out.csv', '-q']
    expect((await fettle(clean, { cwd })).code).toBe(0)
    await decided(cwd, { 'GB-X-02345678': 'accept' })
    expect((await fettle(['review', '--apply', 'mine.csv'], { cwd })).stderr).toContain('fettle clean applies them from now on')
    const corrected = read(cwd, 'out.csv')
    expect(corrected).toContain('manualMatched')
    expect((await fettle(clean, { cwd })).code).toBe(0)
    expect(read(cwd, 'out.csv')).toBe(corrected)
    expect((await fettle([...clean, '--decisions', 'decisions/others.csv'], { cwd })).code).toBe(65)
  })

  test('only the newest run of a pipeline keeps what its review needs', async () => {
    const cwd = await reviewed()
    const [first] = readdirSync(join(cwd, 'fettle-runs')).filter(name => name.startsWith('2'))
    expect(readdirSync(join(cwd, 'fettle-runs', first!))).toEqual(
      expect.arrayContaining(['enriched-0.csv.gz', 'review.jsonl.gz']),
    )
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(0)
    expect(readdirSync(join(cwd, 'fettle-runs', first!)).join()).not.toMatch(/enriched|review\.jsonl/)
    await decided(cwd, { 'GB-X-02345678': 'accept' })
    expect(await fettle(['review', first!, '--apply', 'mine.csv'], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/FETTLE_REVIEW[\s\S]*no longer kept/),
    })
  })
})

describe.concurrent('unmatched rows by table', () => {
  const WITH_TAGS = NAMED.replace('match.why]', 'match.why, general.companyNumber, general.companyName]')

  /** The table of all rows, where the empty line of the unmatched row has these cells. */
  async function filled(cwd: string, cells: Readonly<Record<string, string>>): Promise<void> {
    expect((await fettle(['review', '--unmatched', '--export', 'csv', 'all.csv'], { cwd })).code).toBe(0)
    const [head, ...rows] = table(read(cwd, 'all.csv'))
    const cell = (row: readonly string[], name: string): string => row[head!.indexOf(name)]!
    const fill = (row: readonly string[]): string[] =>
      cell(row, 'row') === '4' && cell(row, 'company') === '' ? head!.map((name, at) => cells[name] ?? row[at]!) : [...row]
    writeFileSync(join(cwd, 'mine.csv'), `${[head!, ...rows.map(fill)].map(row => row.join(';')).join('\n')}\n`)
  }

  test('a typed id becomes the company of the row, with its name and tags, in this run and the next one', async () => {
    const cwd = await reviewed(WITH_TAGS, 1)
    await decided(cwd, {})
    expect(read(cwd, 'review.csv')).not.toContain('Nobody Knows Us')
    // The number of a company in the country of the row is enough; here the row is of another one.
    await filled(cwd, { decision: 'accept', company: 'GB-X-02345678' })
    const applied = await fettle(['review', '--apply', 'mine.csv', '--by', 'ann'], { cwd })
    expect(applied.stderr).toContain('1 row decided')
    const cells = () => table(read(cwd, 'out/p.csv'))[4]
    const company = ['GB-X-02345678', 'manualMatched', expect.stringMatching(/^accepted by ann, \d{4}-\d\d-\d\d$/)]
    expect(cells()).toEqual([...ROW_4, ...company, '02345678', 'BOLTON CASTINGS LIMITED'])
    expect(table(read(cwd, 'decisions/p.csv'))[1]!.slice(1, 5)).toEqual([
      ...['accept', 'GB-X-02345678', 'BOLTON CASTINGS LIMITED', 'Nobody Knows Us GmbH'],
    ])
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(1)
    expect(cells()).toEqual([...ROW_4, ...company, '02345678', 'BOLTON CASTINGS LIMITED'])
    expect(report(cwd)).toMatchObject({
      totals: { matched: 1, manualMatched: 1, review: 2, unmatched: 0 },
      ledger: { adds: true },
    })
    // The decision is shown in the next table; the row with other cells is a different one.
    expect((await fettle(['review', '--export', 'csv', 'again.csv'], { cwd })).code).toBe(0)
    expect(read(cwd, 'again.csv')).toMatch(/^4,Nobody Knows Us GmbH,accept,BOLTON CASTINGS LIMITED,/m)
    writeFileSync(join(cwd, 'rows.csv'), ROWS.replace('Nobody Knows Us', 'Nobody Knows Them'))
    expect((await fettle(['run', 'p.yml', '-q'], { cwd })).code).toBe(1)
    expect(cells()![4]).toBe('unmatched')
  })

  test('ids that no register has, and ids without a decision, are refused with their places, and nothing is stored', async () => {
    const cwd = await reviewed(NAMED, 1)
    await filled(cwd, { decision: 'accept', company: 'XX-1' })
    const lines = read(cwd, 'mine.csv').split('\n')
    const place = (text: string): string => {
      const at = lines.findIndex(line => line.includes(text))
      return `mine.csv:${at + 1}:${lines[at]!.indexOf(text) + 1}`
    }
    writeFileSync(join(cwd, 'mine.csv'), lines.join('\n').replace(/^(2;[^;]*);;(.*)GB-X-02345678/m, '$1;;$2XX-2'))
    const refused = await fettle(['review', '--apply', 'mine.csv'], { cwd })
    expect(refused.code).toBe(65)
    expect(refused.stderr).toContain(place('XX-1'))
    expect(refused.stderr).toContain('has no company XX-1, for row 4 (Nobody Knows Us GmbH)')
    expect(refused.stderr).toContain('mine.csv: row 2 (Bolton Castings Ltd) has the company XX-2, and no decision')
    expect(existsSync(join(cwd, 'decisions/p.csv'))).toBe(false)
    expect(outcomes(cwd)).toEqual(['matched', 'review', 'review', 'unmatched'])
    // A decision that no review has proved is applied, and the run warns.
    const [, ...fingerprints] = table(read(cwd, 'all.csv')).map(row => row.at(-1))
    writeFileSync(join(cwd, 'd.csv'), `fingerprint,decision,company\n${fingerprints.at(-1)},accept,XX-1\n`)
    const run = await fettle(['run', 'p.yml', '-q', '--decisions', 'd.csv'], { cwd })
    expect(run.code).toBe(2)
    writeFileSync(join(cwd, 'p.yml'), pipelineOf('p', NAMED.replace('decisions/p.csv', 'd.csv')))
    await fettle(['run', 'p.yml', '-q'], { cwd })
    expect(report(cwd).results[0].issues).toContainEqual(
      expect.objectContaining({ code: 'FETTLE_DECISIONS', message: expect.stringMatching(/the register does not have.*XX-1/s) }),
    )
  })
})

const ROW_4 = ['Nobody Knows Us GmbH', '99999999', 'DE']

describe.concurrent('a review at a terminal', () => {
  const at = (cwd: string, command: string) =>
    follow(
      spawn('script', ['-qefc', `stty cols 110; ${command}`, '/dev/null'], {
        cwd,
        env: { ...ENVIRONMENT, FETTLE: `${process.execPath} ${BINARY}`, TERM: 'xterm', USER: 'bob' },
      }),
      null,
    )

  test('--unmatched shows rows without a company last, / searches the register, and a postponed row comes once more', async () => {
    const cwd = await reviewed(NAMED, 1)
    const under = at(cwd, 'stty cols 80; $FETTLE review --unmatched')
    await under.seen(/1 of 3 to review/)
    under.child.stdin?.write('ll')
    const seen = await under.seen(/3 of 3, unmatched · row 4[\s\S]*\? keys/)
    expect(seen.slice(seen.lastIndexOf('3 of 3'))).toContain('/ search')
    under.child.stdin?.write('/no such company whatever\r')
    await under.seen(/nothing is found for no such company whatever/)
    under.child.stdin?.write('\u0015Bolton Castingz\u007fs, GB\r')
    await under.seen(/BOLTON CASTINGS LIMITED/)
    under.child.stdin?.write('y')
    await under.seen(/postponed, 1 of 2 to review · row/)
    under.child.stdin?.write('ll')
    const { code, stdout } = await under.ended
    expect(code).toBe(1)
    expect(stdout).toContain('applied: 1 accepted')
    const screens = stdout.slice(0, stdout.lastIndexOf('\x1b[2J')).split(/\r?\n|\x1b\[2J/)
    expect(Math.max(...screens.map(text => [...text.replace(/\x1b\[[0-9;]*[a-zA-Z]/g, '')].length))).toBeLessThan(81)
    expect(outcomes(cwd)).toEqual(['matched', 'review', 'review', 'manualMatched'])
    expect(table(read(cwd, 'out/p.csv'))[4]).toContain('GB-X-02345678')
  })

  test('one key a row; each decision is stored when the key is pressed', async () => {
    const cwd = await reviewed(NAMED, 1)
    const under = at(cwd, '$FETTLE review --expires 2099-12-31')
    const seen = await under.seen(/1 of 2 to review · row 2/)
    expect(seen).toContain('BOLTON CASTINGS LIMITED')
    under.child.stdin?.write('y')
    await under.seen(/2 of 2 to review/)
    expect(table(read(cwd, 'decisions/p.csv'))[1]).toEqual([
      expect.stringMatching(/^r/),
      'accept',
      expect.any(String),
      expect.any(String),
      'Bolton Castings Ltd',
      'bob',
      expect.any(String),
      '2099-12-31',
    ])
    under.child.stdin?.write('n')
    const { code, stdout } = await under.ended
    expect(code).toBe(0)
    expect(stdout).toContain('applied: 1 accepted, 1 rejected')
    expect(outcomes(cwd)).toEqual(['matched', 'manualMatched', 'unmatched', 'unmatched'])
  })

  test('u goes back to the row that was put off, ? shows all keys, and no word is cut at 80 columns', async () => {
    const cwd = await reviewed()
    const under = at(cwd, 'stty cols 80; $FETTLE review')
    const seen = await under.seen(/1 of 2 to review[\s\S]*\? keys/)
    expect(seen).toContain('y accept best · 1–2 that one · n none · l later · u undo · q finish · ? keys')
    under.child.stdin?.write('?')
    expect(await under.seen(/any key: back to the review/)).toMatch(/j next\s+k back/)
    under.child.stdin?.write(' l')
    await under.seen(/2 of 2 to review/)
    under.child.stdin?.write('u')
    await under.seen(/2 of 2 to review[\s\S]*1 of 2 to review/)
    under.child.stdin?.write('q')
    expect((await under.ended).stdout).toContain('nothing was decided')
  })

  test('back, undo, skip and quit; Ctrl-C keeps what was decided and leaves the terminal as it was', async () => {
    const cwd = await reviewed()
    const under = at(cwd, '$FETTLE review; stty -a')
    await under.seen(/1 of 2/)
    under.child.stdin?.write('yb')
    await under.seen(/✓ GB-X/)
    under.child.stdin?.write('u1su\u0003')
    const { stdout } = await under.ended
    expect(stdout).toMatch(/(?<!-)icanon/)
    expect(stdout).toContain('1 row decided, stored in')
    expect(outcomes(cwd)).toEqual(['matched', 'manualMatched', 'review', 'unmatched'])
    expect((await fettle(['review', '--json'], { cwd })).stderr).toContain('1 row to review, but')
  })
})
