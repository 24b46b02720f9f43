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

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('Python can read the block for it', () => {
  const blocks = blocksOf('pandas')
  expect(blocks).toHaveLength(1)
  for (const block of blocks) execFileSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: block })
})
