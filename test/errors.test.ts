/** The table of codes: every entry speaks in sentences and leads to the exit code of the design; and the one error class. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode, type ErrorKind, EXIT, errorOfIssues, FettleError, issue } from '../src/errors.ts'

const codes = Object.keys(ERRORS) as ErrorCode[]

describe.each(codes)('%s', code => {
  const { text, hint, kind } = ERRORS[code]

  test('has a text and a hint, each whole sentences on one line', () => {
    expect(code).toMatch(/^FETTLE_[A-Z]+(?:_[A-Z]+)*$/)
    expect(text).toMatch(/^(?:[A-Z]|`?[a-z.]+`? |YAML)[^\n]*[^ .]\.$/)
    expect(hint).toMatch(/^[A-Z`][^\n]*[^ .]\.$/)
    expect(text.length).toBeLessThan(130)
    expect(hint.length).toBeLessThan(160)
  })

  test('names no backtick without its partner', () => {
    for (const words of [text, hint]) expect(words.split('`').length % 2).toBe(1)
  })

  test('leads to the exit code of its family', () => {
    const error = new FettleError(code)
    expect(error).toMatchObject({ name: 'FettleError', code, kind, message: text, hint, exitCode: EXIT[kind] })
  })
})

test('no error has a code that is only ever a note or a warning', () => {
  const notices = codes.filter(code => ERRORS[code].isNotice)
  expect(notices).toContain('FETTLE_ANSWERS_FETCHED')
  const names = readdirSync('src', { recursive: true }).map(String)
  const source = names.flatMap(name => (name.endsWith('.ts') ? readFileSync(`src/${name}`, 'utf8') : [])).join('\n')
  for (const code of notices) {
    const isIssue = new RegExp(`(?:issue|warning)\\(\\s*'${code}'`).test(source)
    expect([code, isIssue, new RegExp(`Error\\(\\s*'${code}'`).test(source)]).toEqual([code, true, false])
  }
})

test('exit codes match the design', () => {
  expect(EXIT).toEqual({
    ...{ ok: 0, checks: 1, usage: 2, input: 65, bug: 70, output: 73, retryable: 75, rejected: 76, denied: 77 },
    ...{ sigint: 130, sigterm: 143 },
  })
})

test('every family has a code, and no two codes have the same text', () => {
  const kinds = new Set<ErrorKind>(codes.map(code => ERRORS[code].kind))
  expect([...kinds, 'ok'].sort()).toEqual(Object.keys(EXIT).sort())
  expect(new Set(codes.map(code => ERRORS[code].text)).size).toBe(codes.length)
})

describe('a FettleError', () => {
  test('carries what it is given and is quiet about the rest', () => {
    expect(new FettleError('FETTLE_LOGIN', 'no')).toMatchObject({
      at: null,
      status: null,
      correlationId: null,
      unanswered: false,
      issues: [],
    })
    expect('cause' in new FettleError('FETTLE_LOGIN')).toBe(false)
    const cause = new Error('deep')
    const at = { file: 'a.yml', line: 1, column: 2 }
    const details = { hint: 'do this', at, cause, status: 400, correlationId: 'c', unanswered: true }
    expect(new FettleError('FETTLE_REJECTED', 'no', details)).toMatchObject(details)
  })

  test('is known over two copies of the package, and nothing else is', () => {
    const other = new Error('no')
    Object.defineProperty(other, Symbol.for('fettle.error'), { value: true })
    expect([new FettleError('FETTLE_BUG'), other].every(one => FettleError.is(one))).toBe(true)
    for (const one of [new Error('no'), { code: 'FETTLE_BUG' }, 'FETTLE_BUG', null, undefined])
      expect(FettleError.is(one)).toBe(false)
  })

  test('hides its brand', () => {
    expect(Object.getOwnPropertySymbols({ ...new FettleError('FETTLE_BUG') })).toEqual([])
  })
})

describe('the error of several issues', () => {
  const at = { file: 'a.yml', line: 3, column: 5 }
  const wrong = issue('FETTLE_PIPELINE_KEY', 'unknown key "mapings"', { at, hint: 'did you mean mappings?' })
  const missing = issue('FETTLE_PIPELINE_MISSING', 'input is missing')
  const odd = issue('FETTLE_INPUT_SUSPECT', 'an empty header', { severity: 'warn' })

  test('an issue takes its hint from the table unless one is passed', () => {
    expect(missing).toEqual({
      ...{
        code: 'FETTLE_PIPELINE_MISSING',
        severity: 'error',
        message: 'input is missing',
        hint: ERRORS.FETTLE_PIPELINE_MISSING.hint,
      },
      ...{ at: null, column: null, count: 1, rows: [] },
    })
  })

  test('is the first error, counts the others, and carries all', () => {
    const error = errorOfIssues([odd, wrong, missing])
    expect(error).toMatchObject({ code: 'FETTLE_PIPELINE_KEY', exitCode: 2, at, hint: 'did you mean mappings?' })
    expect(error.message).toBe('unknown key "mapings" (and 1 more)')
    expect(error.issues).toEqual([odd, wrong, missing])
  })

  test('of one has no count, of warnings alone is the first of them', () => {
    expect(errorOfIssues([missing])).toMatchObject({ message: 'input is missing', hint: missing.hint, at: null })
    expect(errorOfIssues([odd])).toMatchObject({ code: 'FETTLE_INPUT_SUSPECT', message: 'an empty header', exitCode: 65 })
    expect(errorOfIssues([{ ...missing, hint: null }]).hint).toBe(ERRORS.FETTLE_PIPELINE_MISSING.hint)
  })

  test('of none is our own mistake', () => {
    expect(errorOfIssues([])).toMatchObject({ code: 'FETTLE_BUG', exitCode: 70 })
  })
})
