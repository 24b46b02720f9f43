/** A file of the service has the texts in their order, whatever their length. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeWhole } from '../../../src/service/storage/atomic-file.ts'
import { temporaryFolder } from './kit.ts'

const KIB = 1024

test('texts shorter and longer than what is written at once are all there, in their order', async () => {
  const path = join(await temporaryFolder(), 'a.txt')
  const text = fc
    .tuple(fc.constantFrom('a', 'ü', '€', '😀'), fc.constantFrom(0, 1, 3, 50 * KIB, 86 * KIB, 90 * KIB, 300 * KIB))
    .map(([letter, length]) => letter.repeat(length))
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 8 }), async texts => {
      await writeWhole(path, async write => {
        for (const one of texts) await write(one)
      })
      expect(await readFile(path, 'utf8')).toBe(texts.join(''))
    }),
    { numRuns: 40 },
  )
})
