/** Names of encodings, and the one that is rejected on platforms that have it. */
import { expect, test, vi } from 'vitest'
import { canonicalEncoding } from '../../src/encodings.ts'

test('returns the canonical name, null for an unknown one', () => {
  expect(['latin1', 'UTF8', 'Shift-JIS'].map(canonicalEncoding)).toEqual(['windows-1252', 'utf-8', 'shift_jis'])
  expect(canonicalEncoding('klingon')).toBeNull()
})

test('rejects x-user-defined where the platform decodes it', () => {
  vi.stubGlobal(
    'TextDecoder',
    class {
      readonly encoding = 'x-user-defined'
    },
  )
  try {
    expect(canonicalEncoding('x-user-defined')).toBeNull()
  } finally {
    vi.unstubAllGlobals()
  }
})
