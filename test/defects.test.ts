/** The defects that the deep tests of kills seed (test/system/kill/strictness.deep.test.ts) still have their places in the sources. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DEFECTS } from './system/kill/defects.ts'

test.each(DEFECTS.map(({ name, file, patches }) => [name, file, patches] as const))('seeded: %s', (_, file, patches) => {
  const text = readFileSync(fileURLToPath(new URL(`../src/${file}`, import.meta.url)), 'utf8')
  for (const [from] of patches) expect(text.split(from), `${file}: ${from}`).toHaveLength(2)
})
