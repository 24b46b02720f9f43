/** Messages and hints of the library contain no shell commands: errors have an `action`, and the command line prints it. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { COMMANDS } from '../src/cli/commands/index.ts'
import { action, actionOf, FettleError, issue } from '../src/errors.ts'
import { hintWithCommand, shellCommand } from '../src/shell-command.ts'

const NAMES = COMMANDS.map(({ usage }) => usage.split(' ')[0]).join('|')
/** `fettle resume`, or a flag inside of a text; a flag alone is an argument of an action. */
const COMMAND = new RegExp(`\\bfettle (?!(?:run )?report)(?:${NAMES})\\b|(?:\\s|\`)--[a-z][a-z-]+|^--[a-z-]+[\\s:=]`)

/** Most files have nothing like it, and need no syntax tree. */
const MAYBE = /fettle [a-z]|--[a-z]/

const textsIn = (path: string): string[] => {
  const whole = readFileSync(path, 'utf8')
  if (!MAYBE.test(whole)) return []
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)) found.push(node.text)
    else if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, whole, ts.ScriptTarget.Latest))
  return found
}

const src = new URL('../src/', import.meta.url).pathname
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  // The page's style and script are CSS and bundled JavaScript.
  file => file.endsWith('.ts') && !/^cli\/|^report\/html\/(?:style|script)\.ts$/.test(file),
)

test('no text outside of the command line contains a command or a flag of it', () => {
  const found = files.flatMap(file =>
    textsIn(`${src}${file}`)
      .filter(text => COMMAND.test(text))
      .map(text => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})

test.each(['Go on with: fettle resume x', 'try --shard 3/8', '--shard 3/8: expected a number', 'see `fettle runs`'])(
  'finds the command in %s',
  text => expect(COMMAND.test(text)).toBe(true),
)

test.each(['--shard', 'fettle/report/v1', 'fettle reads', 'a -- b'])('accepts %s', text => expect(COMMAND.test(text)).toBe(false))

test('a command is quoted for a shell, and names the directory of runs where it is not the default', () => {
  expect(shellCommand(action('resume', 'x y', "it's"))).toBe("fettle resume 'x y' 'it'\\''s'")
  expect(shellCommand(action('resume', 'r'), '/var/my runs')).toBe("fettle resume r --runs-dir '/var/my runs'")
  expect(shellCommand(action('register', 'list'), '/var/runs')).toBe('fettle register list')
  expect(hintWithCommand('Resume the run.', action('resume', 'r'))).toBe('Resume the run: fettle resume r')
  expect(hintWithCommand('Resume the run.', null)).toBe('Resume the run.')
})

test('an error has the action of the table, the action passed, or none beside a passed hint', () => {
  expect(new FettleError('FETTLE_TIMEOUT').action).toEqual({ command: 'resume', args: [] })
  expect(new FettleError('FETTLE_TIMEOUT', 'late', { hint: 'Wait.' }).action).toBeNull()
  const own = action('resume', 'r')
  expect(new FettleError('FETTLE_TIMEOUT', 'late', { hint: 'Resume it.', action: own }).action).toBe(own)
  expect(actionOf(issue('FETTLE_REGISTER_SAMPLE', 'a sample'))?.command).toBe('register')
  expect(actionOf(issue('FETTLE_REGISTER_SAMPLE', 'a sample', { hint: 'Wait.' }))).toBeNull()
})
