/** What installs fettle from its sources, in a copy of the repository: the hook, by the real pre-commit, and the install step of the action. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderOf, ROOT, ROWS } from '../cli/fettle.ts'
import { project, run } from '../examples/kit.ts'
import { pythonMissing, pythonWith } from '../examples/python.ts'
import { toolsMissing } from '../install/tools.ts'
import { runAction } from './composite.ts'

const HAS_NPM = toolsMissing === null

let copy: string
let outside: Record<string, string>
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'fettle-sources-'))
  const names = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  for (const name of names.trim().split('\n'))
    if (!name.startsWith('test/') && existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name))
  const reach = Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_(?:registry|.*proxy|cafile)|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS)$/i.test(name),
  )
  outside = { ...(Object.fromEntries(reach) as Record<string, string>), npm_config_cache: join(homedir(), '.npm') }
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const GOOD = 'name: suppliers\ninput: rows.csv\nregister: sample\nmappings: {name: Company Name}\noutput: out/suppliers.csv\n'

describe.skipIf(pythonMissing !== null || !HAS_NPM)('pre-commit', () => {
  test('installs the hook, passes a good pipeline and fails a broken one, and checks no other file', async () => {
    const bin = await pythonWith('test/system/delivery/requirements.txt')
    const home = folderOf()
    const env = { ...outside, HOME: home, PRE_COMMIT_HOME: join(home, 'hooks'), PATH: `${bin}:${process.env.PATH}` }
    const git = (cwd: string, ...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd, encoding: 'utf8', env }).trim()
    const commit = (cwd: string): string => {
      if (!existsSync(join(cwd, '.git'))) git(cwd, 'init', '-q')
      git(cwd, 'add', '-A')
      git(cwd, 'commit', '-q', '-m', 'state')
      return git(cwd, 'rev-parse', 'HEAD')
    }
    const rev = commit(copy)
    const lists = folderOf({
      '.pre-commit-config.yaml': `repos:\n- repo: ${copy}\n  rev: ${rev}\n  hooks: [{ id: fettle-check }]\n`,
      'rows.csv': ROWS,
      'suppliers.fettle.yml': GOOD,
      'other.yml': 'not: a pipeline\n',
    })
    commit(lists)
    const check = () => run('pre-commit', ['run', '--all-files', '--verbose'], { cwd: lists, env })
    const good = await check()
    expect(good.code, good.stdout + good.stderr).toBe(0)
    expect(good.stdout).toContain('ok suppliers.fettle.yml')
    expect(good.stdout).not.toContain('other.yml')
    cpSync(join(lists, 'suppliers.fettle.yml'), join(lists, 'b.fettle.yml'))
    execFileSync('sed', ['-i', 's/mappings/mapings/', join(lists, 'b.fettle.yml')])
    commit(lists)
    const bad = await check()
    expect(bad.code).toBe(1)
    expect(bad.stdout).toContain('did you mean mappings')
  })
})

describe.skipIf(!HAS_NPM)('the action', () => {
  test('builds fettle from its sources where the project has none', async () => {
    const where = project(outside)
    rmSync(join(where.cwd, 'node_modules'), { recursive: true })
    const trigger = { name: 'schedule', runId: '1' }
    const inputs = { pipeline: 'pipelines/suppliers.yml', command: 'check' }
    const { isGood, log } = await runAction(copy, inputs, { cwd: where.cwd, env: where.env, cache: folderOf(), trigger })
    expect(isGood, log).toBe(true)
    expect(log).toContain('ok pipelines/suppliers.yml')
  })
})
