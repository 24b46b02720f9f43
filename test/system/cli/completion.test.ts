/** `fettle completion`: the script for bash does complete; those for zsh and fish are read by their shells where there are any. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { completionFor, type Shell } from '../../../src/cli/commands/completion.ts'
import { COMMANDS } from '../../../src/cli/commands/index.ts'
import { fettle, folderOf } from './fettle.ts'

/** What bash offers for words, the last of which is being typed. */
function offered(words: readonly string[], cwd: string): string[] {
  const line = `source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fettle; printf '%s\\n' "\${COMPREPLY[@]}"`
  writeFileSync(join(cwd, 'completion.bash'), completionFor('bash', COMMANDS))
  return execFileSync('bash', ['-c', line, 'bash', ...words], { cwd, encoding: 'utf8' })
    .split('\n')
    .filter(word => word !== '')
}

describe('bash', () => {
  const cwd = folderOf()
  mkdirSync(join(cwd, 'fettle-runs', '20260101T000000Z-p-abcdef'), { recursive: true })
  mkdirSync(join(cwd, 'fettle-runs', 'locks'))
  mkdirSync(join(cwd, 'nightly'))
  for (const name of ['a.fettle.yml', 'b.fettle.json', 'c.yml']) writeFileSync(join(cwd, 'nightly', name), '')

  test.each([
    [
      ['fettle', 're'],
      ['resume', 'report', 'review', 'request', 'register'],
    ],
    [
      ['fettle', 'run', '--dr'],
      ['--dry-run', '--drop-decisions'],
    ],
    [['fettle', 'report', '--format', 'm'], ['markdown']],
    [
      ['fettle', 'register', ''],
      ['import', 'list', 'info', 'remove', 'aliases'],
    ],
    [['fettle', 'completion', 'f'], ['fish']],
    [['fettle', 'resume', ''], ['20260101T000000Z-p-abcdef']],
    // Files are bash's own business.
    [['fettle', 'run', ''], []],
    [['fettle', 'run', '--input', ''], []],
    [['fettle', 'nonsense', ''], []],
    // Files with a pipeline's ending come first; where there is none, bash offers all files.
    [
      ['fettle', 'check', 'nightly/'],
      ['nightly/a.fettle.yml', 'nightly/b.fettle.json'],
    ],
    [['fettle', 'run', 'nightly/b'], ['nightly/b.fettle.json']],
    [['fettle', 'run', 'nightly/c'], []],
  ])('%j', (words, expected) => expect(offered(words, cwd)).toEqual(expected))

  test('every flag of every command is offered', () => {
    for (const { usage } of COMMANDS) {
      const [name = ''] = usage.split(' ')
      expect(offered(['fettle', name, '--'], cwd), name).toContain('--help')
    }
    expect(offered(['fettle', 'run', '--'], cwd)).toEqual(expect.arrayContaining(['--service', '--result-file', '--quiet']))
  })
})

test.each(['bash', 'zsh', 'fish'] as const)('%s reads its script, and the command prints it', async shell => {
  const cwd = folderOf()
  const { code, stdout } = await fettle(['completion', shell], { cwd })
  expect([code, stdout]).toEqual([0, completionFor(shell satisfies Shell, COMMANDS)])
  for (const { usage } of COMMANDS) expect(stdout).toContain(usage.split(' ')[0])
  writeFileSync(join(cwd, 'script'), stdout)
  const read = spawnSync(shell, ['-n', 'script'], { cwd, encoding: 'utf8' })
  // A shell that is not installed cannot be asked.
  if (read.error === undefined) expect([read.status, read.stderr]).toEqual([0, ''])
})

test('an unknown shell is bad usage', async () => {
  const ended = await fettle(['completion', 'csh'], { cwd: folderOf() })
  expect([ended.code, ended.stdout]).toEqual([2, ''])
})
