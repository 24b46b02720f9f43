/** The key of a row: equal for what is asked alike, and for nothing else. */
import { expect, test } from 'vitest'
import { rowKeyMaker } from '../../../src/reuse/files/row-key.ts'

const keyOf = (mappings: readonly (readonly [name: string, index: number])[], row: readonly string[]): string =>
  rowKeyMaker({
    mappings: mappings.map(([mapping, index]) => ({ mapping, index, header: null, pad: null })),
  } as Parameters<typeof rowKeyMaker>[0])(row).toString('hex')

test('equal cells under different mappings have different keys, and the order of mappings and other columns do not count', () => {
  const name = keyOf([['name', 0]], ['Acme'])
  expect(keyOf([['orgNumber', 0]], ['Acme'])).not.toBe(name)
  expect(keyOf([['name', 1]], ['other', 'Acme'])).toBe(name)
  const both = keyOf(
    [
      ['name', 0],
      ['country', 1],
    ],
    ['Acme', 'GB'],
  )
  expect(
    keyOf(
      [
        ['country', 0],
        ['name', 1],
      ],
      ['GB', 'Acme'],
    ),
  ).toBe(both)
  expect(
    keyOf(
      [
        ['name', 0],
        ['country', 1],
      ],
      ['GB', 'Acme'],
    ),
  ).not.toBe(both)
  expect(
    keyOf(
      [
        ['name', 0],
        ['country', 1],
      ],
      ['AcmeG', 'B'],
    ),
  ).not.toBe(both)
})
