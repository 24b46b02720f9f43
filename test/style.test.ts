/** The language of the project: words of a private dialect fail, in code, comments, messages, documents, help and test titles. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import words from './support/private-words.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** One pattern for all words; a word also counts inside a camel-case name, and a line break counts as a space. */
const DIALECT = new RegExp(
  Object.keys(words)
    .map(word => {
      const [first = '', ...rest] = word.replace(/ /g, String.raw`\s+(?:\*\s+|//\s+)?`)
      // "There is no folder" and "is no longer" are plain.
      const [before, after] = word.endsWith(' no')
        ? [String.raw`(?<![tT]here\s+(?:\*\s+|//\s+)?)`, String.raw`(?!\s+(?:\*\s+|//\s+)?longer)`]
        : ['', '']
      return `${before}(?<![a-z])[${first}${first.toUpperCase()}]${rest.join('')}(?![a-z])${after}`
    })
    .join('|'),
  'g',
)

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .map(name => `${folder}/${name}`)
    .filter(name => pattern.test(name))
}

/** `file:line: word -> standard term` for each private word of a text. */
function faultsIn(file: string, text: string): string[] {
  return [...text.matchAll(DIALECT)].map(({ 0: found, index }) => {
    const word = found.toLowerCase().replace(/\s+(?:\*\s+|\/\/\s+)?/g, ' ')
    return `${file}:${text.slice(0, index).split('\n').length}: "${word}" -> ${words[word as keyof typeof words]}`
  })
}

const read = (file: string): string => readFileSync(`${ROOT}${file}`, 'utf8')

test('source, help and messages use standard terms', () => {
  const files = filesBelow('src', /\.ts$/)
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap(file => faultsIn(file, read(file)))).toEqual([])
})

test('documents use standard terms', () => {
  const files = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...filesBelow('docs', /\.md$/),
    ...filesBelow('examples', /\.md$/),
  ]
  expect(files.flatMap(file => faultsIn(file, read(file)))).toEqual([])
})

test('test titles use standard terms', () => {
  const title = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^'"`\n]*\))?\(\s*(['"`])((?:(?!\1).)*)\1/g
  const faults = filesBelow('test', /\.test\.ts$/).flatMap(file =>
    [...read(file).matchAll(title)].flatMap(([, , text = '']) => faultsIn(file, text)),
  )
  expect(faults).toEqual([])
})

test('a phrase is found unless it is plain', () => {
  expect(faultsIn('a.ts', 'a line that\n// is no row')).toEqual(['a.ts:2: "is no" -> is not a'])
  expect(faultsIn('a.ts', 'there is no row; it is no longer read; those files')).toEqual([])
})

test('a private word is found inside a name and across a line of a comment', () => {
  expect(faultsIn('a.ts', 'const toldOf = 1')).toEqual(['a.ts:1: "told" -> reported, returned, passed'])
  expect(faultsIn('a.ts', '/**\n * what was carried\n * out\n */')).toEqual(['a.ts:2: "carried out" -> run, executed'])
  expect(faultsIn('a.ts', 'mendable, amended, retold')).toEqual([])
})
