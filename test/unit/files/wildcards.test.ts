/** Names and paths with wildcards. */
import { expect, test } from 'vitest'
import { matchesSteps, nameMatcher } from '../../../src/files/paths.ts'

test.each([
  ['*.csv', ['a.csv', '.csv.csv', 'a.csv.gz', '.csv'], ['a.csv']],
  ['.*', ['.a', 'a', '.'], ['.a', '.']],
  ['a?c', ['abc', 'a\u{1f3ed}c', 'ac', 'abbc'], ['abc', 'a\u{1f3ed}c']],
  ['[a-c]x', ['ax', 'cx', 'dx', '-x'], ['ax', 'cx']],
  ['[!a-c]x', ['ax', 'dx', '.x'], ['dx']],
  ['[a-]x', ['ax', '-x', 'bx'], ['ax', '-x']],
  ['[ab', ['[ab', 'a'], ['[ab']],
  ['part-{1,20}.*', ['part-1.csv', 'part-20.csv', 'part-2.csv', 'part-1'], ['part-1.csv', 'part-20.csv']],
  ['a.b+(c)', ['a.b+(c)', 'axb+(c)'], ['a.b+(c)']],
  ['*a*b', ['ab', 'xaxb', 'ba'], ['ab', 'xaxb']],
])('%s', (pattern, names, matched) => {
  expect(names.filter(nameMatcher(pattern))).toEqual(matched)
})

test.each([
  ['in/**/*.csv', ['in/a.csv', 'in/x/y/a.csv', 'in/.x/a.csv', 'a.csv', 'in/x/a.txt'], ['in/a.csv', 'in/x/y/a.csv']],
  ['/in/*/a.csv', ['/in/x/a.csv', '/in/a.csv', 'in/x/a.csv', '/in/x/y/a.csv'], ['/in/x/a.csv']],
])('%s', (pattern, paths, matched) => {
  const steps = pattern.split('/')
  expect(paths.filter(path => matchesSteps(steps, path.split('/')))).toEqual(matched)
})

test('many stars and many choices end', () => {
  expect(nameMatcher('*a'.repeat(40))(`${'a'.repeat(250)}b`)).toBe(false)
  expect(nameMatcher('{a,b}'.repeat(40))('a'.repeat(40))).toBe(false)
})
