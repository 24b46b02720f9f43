/** Runs the blocks of docs/recipes.md that need no program beyond what the machine has. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { HAS_POSTGRES, startPostgres } from '../../unit/client/database/postgres.ts'
import { BINARY, ENVIRONMENT, folderOf, ROOT } from '../cli/fettle.ts'

const RECIPES = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8')

/** The blocks of a section, in order. */
const blocksOf = (title: string): string[] => {
  const [, text = ''] = new RegExp(`^## ${title}$([\\s\\S]*?)(?=^## )`, 'm').exec(`${RECIPES}\n## `) ?? []
  const blocks = [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
  expect(blocks.length, title).toBeGreaterThan(0)
  return blocks
}

const [, PIPELINE = ''] = /^```yaml\n(name: nightly\n[\s\S]*?)^```$/m.exec(RECIPES) ?? []
const ROWS = 'id,name,reg_no,country\n7,Ardonson Locksmiths Limited,3029879,GB\n8,Nothing Like It At All,,GB\n'

/** A folder with the pipeline of the recipes, and the environment of a new user: `fettle` is on the path. */
function project(files: Record<string, string>) {
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`
  const cwd = folderOf({ 'nightly.yml': PIPELINE, 'bin/fettle': shim, ...files })
  chmodSync(join(cwd, 'bin/fettle'), 0o755)
  return { cwd, env: { ...ENVIRONMENT, PATH: `${cwd}/bin:${dirname(process.execPath)}:${ENVIRONMENT.PATH}` } }
}

const HAS_PSQL = HAS_POSTGRES && spawnSync('psql', ['--version']).status === 0
test.skipIf(!HAS_PSQL)('PostgreSQL: out of a table and back into it', async () => {
  const database = await startPostgres()
  await database.query('create table suppliers (id int primary key, name text, reg_no text, country text, connect_id text)')
  await database.query(
    `insert into suppliers values (7, 'Ardonson Locksmiths Limited', '3029879', 'GB', null), (8, 'Nothing Like It', null, 'GB', null)`,
  )
  const { cwd, env } = project({})
  for (const block of blocksOf('PostgreSQL')) {
    const { status, stderr } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', block], {
      cwd,
      env: { ...env, DATABASE_URL: database.url },
      encoding: 'utf8',
    })
    expect([status, block, stderr]).toEqual([0, block, stderr])
  }
  expect(await database.query('select id, connect_id is not null as found from suppliers order by id')).toEqual([
    { id: 7, found: true },
    { id: 8, found: false },
  ])
})

test('cron: the lines run in its shell and environment, and the second one changes nothing after a finished run', () => {
  const { cwd, env } = project({})
  const home = folderOf({
    'suppliers/nightly.yml': PIPELINE,
    'suppliers/extract.csv': ROWS,
    'suppliers/settings.env': `export FETTLE_DATA=${join(cwd, 'data')}\nexport FETTLE_REGISTER=sample\n`,
  })
  const lines = blocksOf('cron').flatMap(block => block.trim().split('\n'))
  expect(lines.shift()).toMatch(/^PATH=\//)
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    // A % ends the command of a line of cron.
    expect(line).not.toContain('%')
    const command = line.replace(/^(?:\S+ +){5}/, '')
    const ended = spawnSync('/bin/sh', ['-c', command], {
      cwd: home,
      env: { HOME: home, PATH: env.PATH, SHELL: '/bin/sh' },
      encoding: 'utf8',
    })
    expect({ line, status: ended.status, stdout: ended.stdout }).toEqual({ line, status: 0, stdout: '' })
  }
  expect(readFileSync(join(home, 'suppliers/out/nightly.csv'), 'utf8')).toMatch(
    /^id,name,reg_no,country,match\.outcome,match\.score,/,
  )
})

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('Python can read the block for it', () => {
  const blocks = blocksOf('pandas')
  expect(blocks).toHaveLength(1)
  for (const block of blocks) execFileSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: block })
})
