/** `fettle init` and `fettle clean`: from a list nobody has described to a pipeline file, or to the result. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { sheetXml, textCell, workbookOf } from '../../unit/input/workbooks.ts'
import { BINARY, ENVIRONMENT, fettle, folderOf, follow, importRegister, lastLine } from './fettle.ts'

beforeAll(importRegister)

const LIST = `Lieferant;Firma;HRB-Nr.;Straße;Ort;Land;Bemerkung
4711;Acme Forgings Ltd;01234567;1 Mill Road;Bolton;GB;x
4712;Bolton Castings Ltd;02345678;2 Mill Road;Bolton;GB;
4713;Cork Steel DAC;345678;3 Quay;Cork;IE;
4714;Dundee Patterns Limited;04567890;4 Dock Street;Dundee;GB;y
4715;Nobody Knows Us GmbH;99999999;Weg 5;Kassel;DE;
`
/** Nothing is certain: two columns of words under vague headers. */
const VAGUE = 'Bezeichnung,Text\nrot,eins\nblau,zwei\ngrau,drei\n'

describe.concurrent('init', () => {
  test('--yes writes the file, checks it, and prints the next step', async () => {
    const cwd = folderOf({ 'Lieferanten 2026.csv': LIST })
    const ended = await fettle(['init', 'Lieferanten 2026.csv', '--yes'], { cwd })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/2 {2}Firma +-> name +9\d% {2}Acme Forgings Ltd, Bolton Castings Ltd, Cork Steel DAC/)
    expect(ended.stderr).toContain('next: fettle run lieferanten-2026.yml')
    expect(ended.stdout).toContain('ok lieferanten-2026.yml: 5 rows')
    const text = readFileSync(join(cwd, 'lieferanten-2026.yml'), 'utf8')
    // This fettle is not installed in the folder of the list, or above: no path to its schema would be right elsewhere.
    expect(text).toMatch(/^# Written by fettle init/)
    expect(parse(text)).toMatchObject({
      name: 'lieferanten-2026',
      input: { path: 'Lieferanten 2026.csv', key: 'Lieferant' },
      mappings: { name: 'Firma', orgNumber: 'HRB-Nr.', address1: 'Straße', town: 'Ort', country: 'Land' },
    })
    expect(text).toContain('# Left out: "Bemerkung"')
    expect((await fettle(['run', 'lieferanten-2026.yml', '-q'], { cwd })).code).toBe(0)
    expect(existsSync(join(cwd, 'out/lieferanten-2026.csv'))).toBe(true)
  })

  test('-q prints what is wrong, and nothing else', async () => {
    const cwd = folderOf({ 'a.csv': LIST, 'b.csv': LIST })
    expect(await fettle(['init', 'a.csv', '-q', '--yes'], { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(existsSync(join(cwd, 'a.yml'))).toBe(true)
    expect(await fettle(['check', 'a.yml', '-q'], { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect((await fettle(['init', 'a.csv', '-q', '--yes'], { cwd })).stderr).toMatch(/^error FETTLE_USAGE\n {2}a\.yml exists/)
    writeFileSync(join(cwd, 'a.csv'), 'Firma\n')
    expect((await fettle(['check', 'a.yml', '-q'], { cwd })).stderr).toContain('error FETTLE_')
  })

  test('the first line names the schema of a fettle that the project has installed, also from a folder within', async () => {
    const cwd = folderOf({ 'a.csv': LIST, 'lists/b.csv': LIST, 'node_modules/fettle/schema/pipeline.v1.json': '{}' })
    const first = async (from: string, ...words: string[]): Promise<string | undefined> =>
      (await fettle(['init', ...words, '--output', '-', '--yes'], { cwd: from })).stdout.split('\n')[0]
    const line = '# yaml-language-server: $schema='
    expect(await first(cwd, 'a.csv')).toBe(`${line}node_modules/fettle/schema/pipeline.v1.json`)
    expect(await first(join(cwd, 'lists'), 'b.csv')).toBe(`${line}../node_modules/fettle/schema/pipeline.v1.json`)
  })

  test('a folder with several pipelines is offered a project file; --project writes it, and the pipelines have its targets', async () => {
    const cwd = folderOf({ 'a.csv': LIST, 'b.csv': LIST })
    expect((await fettle(['init', 'a.csv', '--yes'], { cwd })).stderr).not.toContain('fettle.yml')
    const offered = await fettle(['init', 'b.csv', '--yes'], { cwd })
    expect(offered.stderr).toContain('note: 1 other pipeline is in this folder. Pass --project to write fettle.yml')
    expect(existsSync(join(cwd, 'fettle.yml'))).toBe(false)
    const text = readFileSync(join(cwd, 'a.yml'), 'utf8')
    writeFileSync(join(cwd, 'a.yml'), `${text}service: required\n`)
    const ended = await fettle(['init', 'b.csv', '--yes', '--force', '--project'], { cwd })
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('wrote fettle.yml')])
    expect(ended.stderr).toContain('remove service: from a.yml')
    writeFileSync(join(cwd, 'a.yml'), text)
    const plan = JSON.parse((await fettle(['plan', 'a.yml', '--json'], { cwd })).stdout)
    expect(plan.project).toMatchObject({ file: 'fettle.yml', target: 'dev' })
    const again = await fettle(['init', 'b.csv', '--yes', '--force', '--project'], { cwd })
    expect(again.stderr).toContain('has a project file already')
  })

  test('without a register the file is written, and the commands to go on are printed', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    const env = { FETTLE_DATA: join(cwd, 'data'), FETTLE_REGISTER: '' }
    const ended = await fettle(['init', 'a.csv', '--yes'], { cwd, env })
    expect([ended.code, ended.stdout, parse(readFileSync(join(cwd, 'a.yml'), 'utf8')).register]).toEqual([0, '', undefined])
    expect(ended.stderr).toMatch(/^note: there is no register to match against.* a\.yml is not checked/m)
    expect(ended.stderr).toContain('fettle register import csv FILE, fettle check a.yml')
    expect(ended.stderr).not.toContain('next: fettle run')
  })

  test('an existing file is replaced only after a confirmation', async () => {
    const cwd = folderOf({ 'a.csv': LIST, 'a.yml': 'mine' })
    const refused = await fettle(['init', 'a.csv', '--yes'], { cwd })
    expect([refused.code, readFileSync(join(cwd, 'a.yml'), 'utf8')]).toEqual([2, 'mine'])
    expect(refused.stderr).toContain('--force')
    const forced = await fettle(['init', 'a.csv', '--yes', '--force'], { cwd })
    expect([forced.code, parse(readFileSync(join(cwd, 'a.yml'), 'utf8')).name]).toEqual([0, 'a'])
    expect(forced.stderr).toContain('replaced a.yml')
  })

  test('without a terminal the message names the flag that answers the question', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    const ended = await fettle(['init', 'a.csv'], { cwd })
    expect([ended.code, existsSync(join(cwd, 'a.yml'))]).toEqual([2, false])
    expect(ended.stderr).toContain('--yes')
  })

  test('below the threshold nothing is written, and the printed fix works', async () => {
    const cwd = folderOf({ 'v.csv': VAGUE })
    const refused = await fettle(['init', 'v.csv', '--yes'], { cwd })
    expect([refused.code, existsSync(join(cwd, 'v.yml'))]).toEqual([65, false])
    const [, hint = ''] = /for example: fettle (init v\.csv --map name="Bezeichnung")/.exec(refused.stderr) ?? []
    const said = await fettle([...hint.replaceAll('"', '').split(' '), '--yes'], { cwd })
    expect([said.code, parse(readFileSync(join(cwd, 'v.yml'), 'utf8')).mappings]).toEqual([0, { name: 'Bezeichnung' }])
  })

  test.each([
    ['nmae=Firma', 'did you mean name?'],
    ['name=Frima', 'did you mean Firma?'],
    ['name', 'expected mapping=HEADER'],
    ['name=#9', 'there is no such column'],
  ])('--map %s is refused', async (map, why) => {
    const ended = await fettle(['init', 'a.csv', '--yes', '--map', map], { cwd: folderOf({ 'a.csv': LIST }) })
    expect(ended.code).toBe(2)
    expect(ended.stderr).toContain(why)
  })

  test('a list in another encoding, without a header or below a title is read as the flags state', async () => {
    const rows = LIST.split('\n').slice(1).join('\n')
    const cwd = folderOf({ 'none.csv': rows, 'title.csv': `Alle Lieferanten\n\n${LIST}` })
    writeFileSync(join(cwd, 'old.csv'), Buffer.from(LIST, 'latin1'))
    const old = await fettle(['init', 'old.csv', '--yes'], { cwd })
    expect(old.code).toBe(65)
    expect(old.stderr).toContain('pass --encoding windows-1252')
    expect((await fettle(['init', 'old.csv', '--yes', '--encoding', 'windows-1252'], { cwd })).code).toBe(0)
    expect(parse(readFileSync(join(cwd, 'old.yml'), 'utf8')).input).toMatchObject({ encoding: 'windows-1252' })
    const none = await fettle(['init', 'none.csv', '--yes', '--no-header', '--map', 'name=#2'], { cwd })
    expect([none.code, parse(readFileSync(join(cwd, 'none.yml'), 'utf8')).mappings.name]).toEqual([0, { index: 1 }])
    const title = await fettle(['init', 'title.csv', '--yes'], { cwd })
    expect([title.code, parse(readFileSync(join(cwd, 'title.yml'), 'utf8')).input.skip]).toEqual([0, 'auto'])
  })

  test('--output - prints the file alone', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    const { code, stdout } = await fettle(['init', 'a.csv', '--yes', '--output', '-'], { cwd })
    expect([code, parse(stdout).name, existsSync(join(cwd, 'a.yml'))]).toEqual([0, 'a', false])
  })

  test('--ci writes a workflow within the limits of the platform', async () => {
    const cwd = folderOf({ 'a.csv': LIST, 'b.csv': LIST })
    expect((await fettle(['init', 'a.csv', '--yes', '--ci', 'github'], { cwd })).code).toBe(0)
    const text = readFileSync(join(cwd, '.github/workflows/fettle-a.yml'), 'utf8')
    const github = parse(text)
    // What runs spent must stay: budget.month and unfinished jobs go by it.
    expect(text).toContain('fettle runs prune')
    expect(text).not.toMatch(/\brm\b/)
    const [minute] = github.on.schedule[0].cron.split(' ')
    expect(Number(minute)).toBeGreaterThan(0)
    expect(github.on).toHaveProperty('workflow_dispatch')
    expect(github.concurrency['cancel-in-progress']).toBe(false)
    const { run } = github.jobs
    expect(run['timeout-minutes']).toBeLessThan(360)
    expect(run['timeout-minutes']).toBeGreaterThan(120)
    const upload = run.steps.find((step: { uses?: string }) => step.uses?.startsWith('actions/upload-artifact'))
    expect(upload).toMatchObject({ if: 'always()', with: { 'retention-days': 14 } })
    expect(upload.with.path).not.toMatch(/(^|\/)\./m)
    expect(upload.with.path).toContain('fettle-runs/${{ steps.fettle.outputs.run_id || steps.last.outputs.run }}')
    expect(text).not.toMatch(/password: (?!\$\{\{ secrets)/i)
    const first = await fettle(['init', 'a.csv', '--yes', '--force', '--ci', 'gitlab'], { cwd })
    expect(first.code).toBe(0)
    const gitlab = parse(readFileSync(join(cwd, '.gitlab-ci.yml'), 'utf8'))['fettle-a']
    expect(gitlab.after_script.join('\n')).toContain('fettle runs prune')
    expect(gitlab.after_script.join('\n')).not.toMatch(/\brm\b/)
    expect(gitlab).toMatchObject({
      interruptible: false,
      artifacts: { when: 'always', paths: ['report', 'out'], reports: { junit: 'fettle-runs/junit.xml' } },
    })
    const second = await fettle(['init', 'b.csv', '--yes', '--ci', 'gitlab'], { cwd })
    expect(second.stderr).toContain('include: { local: .gitlab/fettle-b.yml }')
    expect(parse(readFileSync(join(cwd, '.gitlab/fettle-b.yml'), 'utf8'))).toHaveProperty('fettle-b')
  })

  test('on a terminal it asks, takes corrections, and offers the check', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    const call = `${process.execPath} ${BINARY} init a.csv`
    const env = { ...ENVIRONMENT, TERM: 'xterm' }
    const under = follow(spawn('script', ['-qefc', `stty cols 120; ${call}`, '/dev/null'], { cwd, env }), null)
    await under.seen(/quits: $/)
    under.child.stdin?.write('4 postbox\n')
    await under.seen(/there is no mapping "postbox"[\s\S]*quits: $/)
    under.child.stdin?.write('5 -\n')
    await under.seen(/postbox[\s\S]*Ort +- [\s\S]*quits: $/)
    under.child.stdin?.write('7 region\n')
    await under.seen(/Bemerkung +-> region +100%[\s\S]*quits: $/)
    under.child.stdin?.write('\n')
    await under.seen(/Check it now\? \[Y\/n\] $/)
    under.child.stdin?.write('n\n')
    const { code, stdout } = await under.ended
    expect(code).toBe(0)
    expect(stdout).toContain('next: fettle check a.yml')
    const { mappings } = parse(readFileSync(join(cwd, 'a.yml'), 'utf8'))
    expect(mappings).toMatchObject({ name: 'Firma', region: 'Bemerkung' })
    expect(mappings).not.toHaveProperty('town')
  })
})

describe.concurrent('a list whose lines below the last row change', () => {
  const TOTAL = `${LIST}\n;Total;;;;;\n`

  test('a run prints what it skipped, and refuses a line that may be a company', async () => {
    const cwd = folderOf({ 'a.csv': TOTAL })
    expect((await fettle(['init', 'a.csv', '-q', '--yes'], { cwd })).code).toBe(0)
    const ended = await fettle(['run', 'a.yml'], { cwd })
    expect(ended.code).toBe(0)
    expect(ended.stdout).toContain('  – skipped 2 lines below the last row: "Total"\n')
    writeFileSync(join(cwd, 'a.csv'), `${LIST};Total Energies Ltd;;;;;\n;Total;;;;;\n`)
    const refused = await fettle(['run', 'a.yml', '-q'], { cwd })
    expect(refused.code).toBe(65)
    expect(refused.stderr).toContain('line 7 is skipped and may be a row: "Total Energies Ltd"')
    expect(refused.stderr).toContain('Set input.skip.tail: 1 to read it as a row, or input.skip.tail: 2 to skip it.')
    expect((await fettle(['run', 'a.yml', '-q', '--skip-tail', '1'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'out/a.csv'), 'utf8')).toContain('Total Energies Ltd')
  })

  test.each(['init', 'clean'])('%s -q refuses such a line and names the flag', async command => {
    const cwd = folderOf({ 'a.csv': `${LIST};Note Printing Australia;;;;;\n` })
    const ended = await fettle([command, 'a.csv', '-q', '--yes'], { cwd })
    expect(ended.code).toBe(65)
    expect(ended.stderr).toContain('line 7 is skipped and may be a row: "Note Printing Australia"')
    expect(ended.stderr).toContain('Pass --skip-tail 0 to read it as a row, or --skip-tail 1 to skip it.')
    expect((await fettle([command, 'a.csv', '-q', '--yes', '--skip-tail', '0'], { cwd })).code).toBe(0)
  })
})

describe.concurrent('a list with headings and totals inside', () => {
  const SECTIONS = `Supplier,Town,Country,Spend
NORTH REGION,,,
Acme Forgings Ltd,Bolton,GB,100.50
Bolton Castings Ltd,Bolton,GB,200.00
Subtotal,,,300.50
SOUTH REGION,,,
Cork Steel DAC,Cork,IE,50
Total Energies,,,
Dundee Patterns Limited,Dundee,GB,70
Subtotal,,,120
Grand total,,,420.50
`
  const outcomes = (path: string): (string | undefined)[] =>
    readFileSync(path, 'utf8')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map(line => line.split(',').find(cell => ['matched', 'review', 'unmatched', 'skipped'].includes(cell)))

  test('clean prints them, sends none, and keeps their place', async () => {
    const cwd = folderOf({ 'a.csv': SECTIONS })
    const { code, stderr, stdout } = await fettle(['clean', 'a.csv', '-o', 'b.csv'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain(
      'skipped 5 rows inside the list: line 2 "NORTH REGION", line 5 "Subtotal", line 6 "SOUTH REGION", line 10 "Subtotal", line 11 "Grand total" (to send them: --sections rows)',
    )
    expect(stderr).toContain('sent 1 row that may be a heading or a total: line 8 "Total Energies"')
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('5 rows inside a.csv skipped as headings or totals')
    const found = outcomes(join(cwd, 'b.csv'))
    expect(found.map(outcome => outcome === 'skipped')).toEqual([1, 0, 0, 1, 1, 0, 0, 0, 1, 1].map(Boolean))
    const all = await fettle(['clean', 'a.csv', '-o', 'c.csv', '--sections', 'rows', '--skip-tail', '0'], { cwd })
    expect([all.code, outcomes(join(cwd, 'c.csv')).includes('skipped')]).toEqual([0, false])
  })

  test('init writes how many it found, and a later list is judged again', async () => {
    const cwd = folderOf({ 'a.csv': SECTIONS })
    expect((await fettle(['init', 'a.csv', '--yes', '-q'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'a.yml'), 'utf8')).toMatch(/sections: skip +# 5 rows found that are headings or totals/)
    writeFileSync(join(cwd, 'a.csv'), SECTIONS.replace('300.50', '300.00').replaceAll('REGION', 'Ltd'))
    const ended = await fettle(['run', 'a.yml'], { cwd })
    expect(ended.code).toBe(0)
    expect(ended.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'sent that may be headings or totals: line 2 "NORTH Ltd", line 5 "Subtotal"',
    )
    expect(outcomes(join(cwd, 'out/a.csv')).filter(outcome => outcome === 'skipped')).toHaveLength(2)
  })
})

describe.concurrent('clean', () => {
  /** Two columns of countries. */
  const rivals = `Firma;Tax country;Ship-to country\n${['Acme Forgings Ltd', 'Bolton Castings Ltd', 'Cork Steel DAC'].map(name => `${name};GB;IE\n`).join('')}`

  test('on a terminal it asks about uncertain columns', async () => {
    const cwd = folderOf({ 'a.csv': rivals })
    const call = `${process.execPath} ${BINARY} clean a.csv`
    const env = { ...ENVIRONMENT, TERM: 'xterm' }
    const under = follow(spawn('script', ['-qefc', `stty cols 120; ${call}`, '/dev/null'], { cwd, env }), null)
    await under.seen(/Ship-to country +\? {2}country[\s\S]*quits: $/)
    under.child.stdin?.write('3 country\n')
    await under.seen(/Ship-to country +-> country +100%[\s\S]*quits: $/)
    under.child.stdin?.write('\n')
    const { code } = await under.ended
    expect(code).toBe(0)
    expect(existsSync(join(cwd, 'a-clean.csv'))).toBe(true)
  })

  test('without a terminal it names the flag that maps an uncertain column', async () => {
    const cwd = folderOf({ 'a.csv': rivals })
    const { code, stderr } = await fettle(['clean', 'a.csv'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain('uncertain, omitted (to map one: --map country="Tax country"):')
    const mapped = await fettle(['clean', 'a.csv', '-o', 'b.csv', '--map', 'country=Tax country'], { cwd })
    expect(mapped.stderr).toMatch(/Tax country +-> country +100%/)
  })

  test('a workbook that begins with notes: the first sheet with companies is read, and named', async () => {
    const list = [
      ['Company Name', 'Country'],
      ['Acme Forgings Ltd', 'GB'],
      ['Bolton Castings Ltd', 'GB'],
    ]
    const rows = list.map(row => row.map(textCell))
    const cwd = folderOf()
    const sheets = {
      'Read me': sheetXml([textCell('Export of the purchasing system')], [textCell('See page 2')]),
      Notes: sheetXml(),
    }
    writeFileSync(join(cwd, 'a.xlsx'), workbookOf({ ...sheets, Suppliers: sheetXml(...rows) }))
    const ended = await fettle(['clean', 'a.xlsx', '-o', 'out.csv'], { cwd })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('a.xlsx: 2 rows, 2 columns, xlsx, sheet "Suppliers"')
    expect(ended.stderr).toContain('sheet "Suppliers" is read, since "Read me" has no companies')
    expect(readFileSync(join(cwd, 'out.csv'), 'utf8').split('\r\n')).toHaveLength(4)
    expect((await fettle(['init', 'a.xlsx', '--yes'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'a.yml'), 'utf8')).toContain('sheet: Suppliers')
    writeFileSync(join(cwd, 'b.xlsx'), workbookOf(sheets))
    expect((await fettle(['clean', 'b.xlsx', '-q'], { cwd })).code).not.toBe(0)
    expect((await fettle(['clean', 'a.xlsx', '--sheet', 'Read me', '-q'], { cwd })).code).not.toBe(0)
    // A first sheet that may be the list is never passed over.
    const vague = [['Vendor'], ['Acme Forgings Ltd'], ['Bolton Castings Ltd']].map(row => row.map(textCell))
    writeFileSync(join(cwd, 'c.xlsx'), workbookOf({ New: sheetXml(...vague), Old: sheetXml(...rows) }))
    expect(await fettle(['clean', 'c.xlsx', '-q'], { cwd })).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('--map name="Vendor"'),
    })
  })

  test('--columns, --enrich and --no-match-columns choose the columns of the output', async () => {
    const cwd = folderOf({ 'a.csv': 'Ref,"Firm, name",No,Country\nr1,Acme Forgings Ltd,01234567,GB\n' })
    const written = async (...flags: string[]): Promise<string[]> => {
      expect(await fettle(['clean', 'a.csv', '-q', '-o', 'out.csv', ...flags], { cwd })).toMatchObject({ code: 0, stderr: '' })
      return readFileSync(join(cwd, 'out.csv'), 'utf8').replace('\uFEFF', '').split('\r\n')
    }
    expect(await written('--columns', 'No,Firm, name=firm,match.outcome,*')).toEqual([
      'No,firm,match.outcome,Ref,Country',
      '01234567,Acme Forgings Ltd,matched,r1,GB',
      '',
    ])
    expect((await written('--enrich', 'contact.city,general.status', '--no-match-columns'))[0]).toBe(
      'Ref,"Firm, name",No,Country,general.connectId,general.companyName,contact.city,general.status',
    )
    const refused = async (...flags: string[]): Promise<string> =>
      (await fettle(['clean', 'a.csv', '-q', '-o', 'out.csv', ...flags], { cwd })).stderr
    expect(await refused('--columns', 'Reff,general.status')).toContain('Pass --enrich basicPlus.')
    expect(await refused('--columns', 'Reff')).toContain('a.csv has no header "Reff"; did you mean "Ref"?')
    expect(await refused('--columns', 'Ref,=x')).toContain('a column has no name')
    expect(await refused('--enrich', 'contact.ctiy')).toContain('did you mean contact.city?')
  })

  test('a list in, the same list with what was found out', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    const ended = await fettle(['clean', 'a.csv', '-o', 'result.csv', '--json'], { cwd })
    expect(ended.code).toBe(0)
    expect(lastLine(ended)).toMatchObject({
      status: 'success',
      pipeline: 'clean-a',
      output: 'result.csv',
      totals: { rows: 5, matched: 4 },
    })
    const [header, first] = readFileSync(join(cwd, 'result.csv'), 'utf8').split('\n')
    const elsewhere = join(folderOf({}), 'new/result.csv')
    expect((await fettle(['clean', 'a.csv', '-q', '-o', elsewhere], { cwd })).code).toBe(0)
    expect(readFileSync(elsewhere, 'utf8')).toBe(readFileSync(join(cwd, 'result.csv'), 'utf8'))
    expect(readdirSync(dirname(elsewhere))).toEqual(['result.csv'])
    expect(header).toMatch(/^\ufeffLieferant;Firma.*match\.why;match\.candidateId;match\.candidateName\r$/)
    expect(first).toMatch(/;matched;[\d.]+;[^;]*(100% alike|same number)/)
  })

  test('of several registers: the register and the other ids of each answer', async () => {
    const cwd = folderOf({
      'list.csv': 'Company;Country\nAcme Forgings Ltd;GB\nBolton Castings Ltd;GB\nNobody Knows Us GmbH;DE\n',
      'filers.csv': 'id,name,country\nF1,Acme Forgings Limited,GB\n',
      'listed.csv': 'id,name,country\nL1,Acme Forgings Ltd,\nL2,Bolton Castings Ltd,GB\n',
    })
    const env = { FETTLE_DATA: join(cwd, 'data') }
    for (const name of ['filers', 'listed'])
      expect((await fettle(['register', 'import', 'csv', `${name}.csv`], { cwd, env })).code).toBe(0)
    const lines = async (...flags: string[]): Promise<string[]> => {
      expect((await fettle(['clean', 'list.csv', '-q', '-o', 'out.csv', ...flags], { cwd, env })).code).toBe(0)
      return readFileSync(join(cwd, 'out.csv'), 'utf8').replace('\ufeff', '').trimEnd().split('\r\n')
    }
    const [header = '', ...rows] = await lines()
    const of = (row: string): unknown[] =>
      ['general.connectId', 'match.register', 'match.otherIds'].map(name => row.split(';')[header.split(';').indexOf(name)])
    expect(rows.map(of)).toEqual([
      ['GB-X-F1', 'filers', 'listed: XX-X-L1'],
      ['GB-X-L2', 'listed', ''],
      ['', '', ''],
    ])
    expect((await lines('--register', 'listed'))[0]).not.toContain('match.register')
  })

  test('--dry-run prints the plan, and writes nothing', async () => {
    const cwd = folderOf({ 'a.csv': LIST, 'a-clean.csv': 'mine\n' })
    const ended = await fettle(['clean', 'a.csv', '--dry-run'], { cwd })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/2 {2}Firma +-> name /)
    expect(ended.stdout).toContain('a-clean.csv')
    expect(readdirSync(cwd).sort()).toEqual(['a-clean.csv', 'a.csv'])
    expect(readFileSync(join(cwd, 'a-clean.csv'), 'utf8')).toBe('mine\n')
    expect((await fettle(['clean', 'a.csv', '--dry-run', '--json'], { cwd })).code).toBe(2)
  })

  test('without -o under a name made of the list, never in place of anything', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    expect((await fettle(['clean', 'a.csv', '-q'], { cwd })).code).toBe(0)
    const before = statSync(join(cwd, 'a-clean.csv')).mtimeMs
    const again = await fettle(['clean', 'a.csv', '-q'], { cwd })
    expect([again.code, statSync(join(cwd, 'a-clean.csv')).mtimeMs]).toEqual([2, before])
    expect(again.stderr).toContain('-o a-clean.csv')
    expect((await fettle(['clean', 'a.csv', '-q', '-o', 'a-clean.csv'], { cwd })).code).toBe(0)
  })

  test('a service that may charge is asked only with --yes or --budget', async () => {
    const cwd = folderOf({ 'a.csv': LIST })
    const env = { FETTLE_URL: 'http://127.0.0.1:9/v1', FETTLE_USERNAME: 'u', FETTLE_PASSWORD: 'p' }
    expect(await fettle(['clean', 'a.csv', '-q'], { cwd, env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/5 rows and may charge up to 5 credits; nothing was sent[\s\S]*--budget N/),
    })
    expect(existsSync(join(cwd, 'fettle-runs'))).toBe(false)
    const agreed = await fettle(['clean', 'a.csv', '--budget', '3', '--timeout', '1s'], { cwd, env })
    expect([agreed.code, agreed.stderr]).toEqual([75, expect.stringContaining('may charge up to 3 credits')])
  })

  test('below the threshold nothing is sent, and the result line gives the reason', async () => {
    const cwd = folderOf({ 'v.csv': VAGUE })
    const ended = await fettle(['clean', 'v.csv', '-o', 'x.csv', '--json'], { cwd })
    expect([ended.code, existsSync(join(cwd, 'fettle-runs'))]).toEqual([65, false])
    expect(lastLine(ended)).toMatchObject({ status: 'error', exitCode: 65, error: { code: 'FETTLE_INPUT_COLUMNS' } })
    expect(ended.stderr).toContain('fettle clean v.csv --map name="Bezeichnung"')
  })

  test('what cannot be read is refused with the flag that helps', async () => {
    const cwd = folderOf()
    const ended = await fettle(['clean', 'nope.csv', '-o', 'x.csv'], { cwd })
    expect(ended.code).toBe(65)
    expect(ended.stderr).toContain('FETTLE_INPUT_READ')
  })
})
