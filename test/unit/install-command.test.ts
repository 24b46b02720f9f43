/** The command that installs optional packages, for a copy of fettle in a project, a global one, and this checkout. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { folder } from './input/kit.ts'

test.each([
  ['a project', 'app', true, 'npm install bullmq ioredis'],
  ['the folder of global packages', 'lib', false, 'npm install -g bullmq ioredis'],
  ['the cache of npx', '_npx/307b', true, 'npm install fettle bullmq ioredis'],
])('of fettle in %s', async (_, place, hasPackageFile, expected) => {
  const root = join(folder(), place)
  const own = join(root, 'node_modules/fettle')
  mkdirSync(join(own, 'src'), { recursive: true })
  if (hasPackageFile) writeFileSync(join(root, 'package.json'), '{}')
  writeFileSync(join(own, 'package.json'), '{"type":"module"}')
  cpSync('src/package-file.ts', join(own, 'src/package-file.ts'))
  const { installCommand } = await import(pathToFileURL(join(own, 'src/package-file.ts')).href)
  expect(installCommand('bullmq', 'ioredis')).toBe(expected)
})
