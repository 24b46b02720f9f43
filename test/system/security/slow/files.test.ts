/** S4, S5, S14, S34, S37 on whole runs: file modes, planted links and folders, and rows only where the pipeline allows them. */
import { spawn } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeRunDirectory } from '../../../../src/runs/run-directory.ts'
import { BINARY, ENVIRONMENT, fettle, folderOf, follow, importRegister, pipelineOf, ROWS } from '../../cli/fettle.ts'

beforeAll(importRegister)

const FULL = 'output: {path: out/p.csv, unmatched: out/u.csv, review: out/r.csv}'
const place = (more = FULL, rows = ROWS): string => folderOf({ 'rows.csv': rows, 'p.yml': pipelineOf('p', more) })

/** Every file and folder below, but what the test itself put there. */
const below = (folder: string, own: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => !own.includes(name))

describe('S4: no other user can read the files, under umask 000', () => {
  /** The binary under a umask, for Node takes its own from whoever starts it. */
  const under = (umask: string, args: readonly string[], cwd: string, env = {}) =>
    follow(
      spawn('sh', ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, BINARY, ...args], {
        cwd,
        env: { ...ENVIRONMENT, ...env },
      }),
    ).ended

  test.each(['000', '022'])('umask %s', async umask => {
    const cwd = place()
    const data = join(folderOf(), 'made', 'by', 'fettle')
    const register = join(folderOf({ 'small.csv': 'id,name,country\n1,ACME FORGINGS LIMITED,GB\n' }), 'small.csv')
    const env = { FETTLE_DATA: data }
    expect(await under(umask, ['register', 'import', 'csv', 'p.yml', '--name', 'no'], cwd, env)).toMatchObject({ code: 65 })
    expect(await under(umask, ['register', 'import', 'csv', register], cwd, env)).toMatchObject({ code: 0 })
    expect(await under(umask, ['run', 'p.yml', '--result-file', 'r.json'], cwd, env)).toMatchObject({ code: 0 })
    expect(await under(umask, ['report', '--format', 'html', '--output', 'again.html'], cwd, env)).toMatchObject({ code: 0 })
    // What a command was asked to write is the user's, and follows the umask.
    const wrong = [join(cwd, 'fettle-runs'), dirname(dirname(data))].flatMap(folder =>
      below(folder, []).flatMap(name => {
        const facts = lstatSync(join(folder, name))
        const mode = facts.mode & 0o777
        return mode === (facts.isDirectory() ? 0o700 : 0o600) ? [] : [`${name} ${mode.toString(8)}`]
      }),
    )
    expect(wrong).toEqual([])
    expect(below(cwd, []).length).toBeGreaterThan(12)
  })
})

describe('S5: planted links are not followed', () => {
  const victim = (): string => {
    const path = join(folderOf(), 'victim')
    writeFileSync(path, 'untouched')
    return path
  }

  test.each([
    ['the output', 'out/p.csv', 2, 'outside the project'],
    ['a second output', 'out/u.csv', 2, 'outside the project'],
    ['latest', 'fettle-runs/latest', 73, 'symbolic link'],
    ['the result file', 'r.json', 73, 'symbolic link'],
  ])('at %s: refused, naming it, and nothing is sent', async (_, name, code, why) => {
    const cwd = place()
    const target = victim()
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    symlinkSync(target, join(cwd, name))
    const ended = await fettle(['run', 'p.yml', '--result-file', 'r.json'], { cwd })
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain(why)
    expect(readFileSync(target, 'utf8')).toBe('untouched')
    expect(readlinkSync(join(cwd, name))).toBe(target)
  })

  test('at the lock: it is not used as a lock, and its target stays unchanged', async () => {
    const cwd = place()
    const target = victim()
    mkdirSync(join(cwd, 'fettle-runs/locks'), { recursive: true })
    symlinkSync(target, join(cwd, 'fettle-runs/locks/p'))
    const ended = await fettle(['run', 'p.yml'], { cwd })
    expect([0, 75]).toContain(ended.code)
    expect(readFileSync(target, 'utf8')).toBe('untouched')
  })

  test('at the temporary name of any file: it is removed, and the file is written', async () => {
    const cwd = place('output: out/p.csv')
    const target = victim()
    mkdirSync(join(cwd, 'out'))
    // Temporary names hold a digest of the run, so they are planted while the run is at it.
    const planted = setInterval(() => {
      for (const name of existsSync(join(cwd, 'out')) ? readdirSync(join(cwd, 'out')) : [])
        if (name.endsWith('.tmp')) {
          rmSync(join(cwd, 'out', name), { force: true })
          symlinkSync(target, join(cwd, 'out', name))
        }
    }, 1)
    await fettle(['run', 'p.yml'], { cwd })
    clearInterval(planted)
    expect(readFileSync(target, 'utf8')).toBe('untouched')
  })

  test('at the run directory: an existing folder is not used', async () => {
    const runs = folderOf()
    const away = folderOf()
    symlinkSync(away, join(runs, '20260101T000000Z-p-abcdef'))
    await expect(makeRunDirectory(runs, '20260101T000000Z-p-abcdef')).rejects.toMatchObject({ code: 'FETTLE_OUTPUT_WRITE' })
    expect(readdirSync(away)).toEqual([])
  })
})

const OUT = 'vars: { to: a.csv }\noutput: "${vars.to}"'

describe('S14: what an output may replace', () => {
  test('replaces its earlier version completely; never the input, the pipeline, a file that is not a table, or, for a pipeline, a file outside', async () => {
    const cwd = place('output: out/p.csv')
    expect((await fettle(['run', 'p.yml'], { cwd })).code).toBe(0)
    const first = readFileSync(join(cwd, 'out/p.csv'), 'utf8')
    expect((await fettle(['run', 'p.yml', '--new'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'out/p.csv'), 'utf8')).toBe(first)
    writeFileSync(join(cwd, 'notes.md'), 'mine\n')
    for (const output of ['rows.csv', 'p.yml', 'notes.md', 'fettle-runs/latest', 'CON', 'a\\b.csv']) {
      const ended = await fettle(['run', 'p.yml', '--new', '--output', output], { cwd })
      expect(`${output} ${ended.code}`).toBe(`${output} 2`)
    }
    for (const output of ['../x.csv', '/x.csv'])
      expect((await fettle(['run', 'p.yml', '--new', '--var', `to=${output}`], { cwd: place(OUT) })).code).toBe(2)
    expect(readFileSync(join(cwd, 'rows.csv'), 'utf8')).toBe(ROWS)
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toBe('mine\n')
  })
})

describe('S34: rows', () => {
  const COMPANY = 'Zqfirma Kundengeheim'
  const PHONE = '0161-555-987654'
  const rows = `Company Name,Reg No,Country,Phone\n${COMPANY} Ltd,77777777,GB,${PHONE}\nAcme Forgings Ltd,01234567,GB,${PHONE}\n`
  const marks = (text: string): string[] => [COMPANY, PHONE].filter(mark => text.toLowerCase().includes(mark.toLowerCase()))

  /** The files below the runs directory that hold a row, and whether what was said does. */
  const holding = async (more: string, args: readonly string[] = []) => {
    const cwd = place(`${more}\n`, rows)
    const ended = await fettle(['run', 'p.yml', '-v', '--debug', '--json', ...args], { cwd })
    const runs = join(cwd, 'fettle-runs')
    const files = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter(name => lstatSync(join(runs, name)).isFile())
    const found = files.flatMap(name =>
      marks(readFileSync(join(runs, name), 'latin1')).map(mark => `${name.split('/').at(-1)}: ${mark}`),
    )
    return { code: ended.code, said: marks(ended.stdout + ended.stderr), found: [...new Set(found)].sort() }
  }
  const mapped = 'mappings: {name: Company Name, orgNumber: Reg No, country: Country, phone: Phone}'
  const pipeline = (report: string): string => `output: out/p.csv\nchecks: {matched: {fail: "< 90%"}}\nreport: ${report}`

  test('none in output, journal or reports with report.rows: none', async () => {
    expect(await holding(pipeline('{rows: none}'))).toEqual({ code: 1, said: [], found: [] })
  })

  test('as report.rows allows, without the masked columns', async () => {
    const { code, said, found } = await holding(pipeline('{rows: all, mask: [name]}'))
    expect({ code, said, found }).toEqual({ code: 1, said: [], found: [] })
    const shown = await holding(pipeline('{rows: all}'))
    expect(shown.said).toEqual([])
    expect(shown.found).toContain(`report.html: ${COMPANY}`)
    expect(shown.found.filter(one => one.includes(PHONE))).toEqual([])
    expect(mapped).toContain('phone')
  })

  test('none in messages about a damaged file', async () => {
    for (const damage of [`"${COMPANY}`, `${COMPANY},1`, `${COMPANY}\u0000,1,GB,${PHONE}`, `a "${COMPANY}" b,1,GB,${PHONE}`]) {
      const cwd = place(pipeline('{rows: none}'), `${rows}${damage}\n`)
      const ended = await fettle(['check', 'p.yml', '--json'], { cwd })
      expect(ended.code).toBe(65)
      expect(marks(ended.stdout + ended.stderr), damage).toEqual([])
    }
  })
})

test('S37: nothing stays in the folder of temporary files after any outcome', async () => {
  const temporary = folderOf()
  for (const [more, code] of [
    [FULL, 0],
    ['output: out/p.csv\nchecks: {matched: {fail: "> 0%"}}', 1],
    ['output: ../p.csv', 2],
  ] as const)
    expect((await fettle(['run', 'p.yml'], { cwd: place(more), env: { TMPDIR: temporary } })).code).toBe(code)
  expect(readdirSync(temporary)).toEqual([])
})
