/** The table of security rules is complete, and every proof it names exists. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Proof, RULES } from './rules.ts'

const root = new URL('../../', import.meta.url)

/** What is wrong with a proof; null when the file holds its words and can fail. */
function faultOf([file, words]: Proof): string | null {
  const path = new URL(file, root)
  if (!existsSync(path)) return `${file} does not exist`
  const text = readFileSync(path, 'utf8')
  if (!text.includes(words)) return `${file} does not hold ${JSON.stringify(words)}`
  return /\bexpect\(|\bbad\(|\bone\(/.test(text) ? null : `${file} expects nothing`
}

test('S1 to S43, each with a title and at least one proof', () => {
  expect(Object.keys(RULES)).toEqual(Array.from({ length: 43 }, (_, at) => `S${at + 1}`))
  for (const [name, { title, proofs }] of Object.entries(RULES)) {
    expect(title.length, name).toBeGreaterThan(10)
    expect(proofs.length, name).toBeGreaterThan(0)
  }
})

test.each(Object.entries(RULES))('%s is proved', (_, { proofs }) => {
  expect(proofs.flatMap(proof => faultOf(proof) ?? [])).toEqual([])
})

test('a missing proof is detected', () => {
  expect(faultOf(['system/security/nowhere.test.ts', 'x'])).toBe('system/security/nowhere.test.ts does not exist')
  expect(faultOf(['system/security/rules.test.ts', ['no such', 'words'].join(' ')])).toContain('does not hold')
})
