/** Pipelines in JSON: the same issues with the same places, strictly by RFC 8259 (fault P42). */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../../src/pipeline/source/json.ts'
import { toPlain } from '../../../src/pipeline/source/tree.ts'
import { runs } from '../../support/runs.ts'
import { lineOf, parseJson, parseYaml } from './support.ts'

const GOOD = '{\n  "name": "a",\n  "input": "in.csv",\n  "mappings": { "name": "N", "country": "C" }\n}\n'

describe('P42', () => {
  test.each([
    ['{"name": "a",}', '1:13', 'comma'],
    ['{"tags": ["a",]}', '1:14', 'comma'],
    ['{ // c\n}', '1:3', 'comment'],
    ['{ /* c */ }', '1:3', 'comment'],
    ["{'name': 'a'}", '1:2', 'single quote'],
    ['{name: "a"}', '1:2', 'a key in double quotes, found "name"'],
    ['{"name": NaN}', '1:10', 'found "NaN"'],
    ['{"name": -Infinity}', '1:10', 'found "-Infinity"'],
    ['{"name": 01}', '1:11', 'found "1"'],
    ['{"name": "a\n"}', '1:10', 'not closed'],
    ['{"name": "\\x41"}', '1:10', 'escape'],
    ['{"name": "a"', '1:13', 'the end of the file'],
    ['{"name" "a"}', '1:9', 'a colon'],
    ['{"name": "a"} x', '1:15', 'the end of the file, found "x"'],
    ['{"a": tru}', '1:7', 'found "tru"'],
  ])('%s', (text, place, words) => {
    const { issues } = parseJson(text)
    expect(issues.length).toBe(1)
    expect(lineOf(issues[0]!)).toMatch(new RegExp(`^PIPELINE_SYNTAX ${place} `))
    expect(`${issues[0]?.message} ${issues[0]?.hint}`).toContain(words)
  })

  test('accepts a byte-order mark and CRLF', () => {
    expect(parseJson(`\ufeff${GOOD.replaceAll('\n', '\r\n')}`).issues).toEqual([])
  })

  test('P7 rejects a duplicate key', () => {
    expect(parseJson('{\n"name": "a",\n"name": "b"}').issues.map(lineOf)).toEqual([
      'PIPELINE_DUPLICATE 3:1 the key "name" occurs twice: lines 2 and 3',
    ])
  })

  test('P12 rejects deep nesting', () => {
    expect(parseJson('['.repeat(100_000)).issues[0]?.code).toBe('FETTLE_PIPELINE_DEPTH')
    expect(parseJson('{"a":'.repeat(40_000)).issues[0]?.code).toBe('FETTLE_PIPELINE_DEPTH')
  })

  test('P2 reports an empty file', () => {
    expect(parseJson(' \n').issues[0]?.code).toBe('FETTLE_PIPELINE_EMPTY')
    expect(parseJson('null').issues[0]?.code).toBe('FETTLE_PIPELINE_EMPTY')
  })
})

test('issues have the line and column in the file', () => {
  const text = GOOD.replace('"N"', '12').replace('"a"', '"A b"')
  expect(parseJson(text).issues.map(one => [one.code, one.at?.line, one.at?.column])).toEqual([
    ['FETTLE_PIPELINE_VALUE', 2, 11],
    ['FETTLE_PIPELINE_TEXT', 4, 25],
  ])
})

test('JSON and YAML of the same text give the same pipeline', () => {
  expect(parseJson(GOOD).pipeline).toEqual(parseYaml(GOOD).pipeline)
})

test('reads every output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const { tree, findings } = readJson(text)
      expect(findings).toEqual([])
      expect(toPlain(tree!)).toEqual(JSON.parse(text))
    }),
  )
})

test('refuses exactly what JSON.parse refuses', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"b"',
    '1',
    '-',
    '0',
    '.5',
    'e3',
    'true',
    'null',
    ' ',
    '\n',
    '"',
    '\\',
    "'",
    '//',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), parts => {
      const text = parts.join('')
      fc.pre(text.trim() !== '')
      const { tree, findings } = readJson(text)
      const isJson = (() => {
        try {
          JSON.parse(text)
          return true
        } catch {
          return false
        }
      })()
      const isRead = tree !== null || findings.every(one => one.code === 'FETTLE_PIPELINE_DUPLICATE')
      expect(isRead).toBe(isJson)
    }),
    { numRuns: runs(600, 3000) },
  )
})
