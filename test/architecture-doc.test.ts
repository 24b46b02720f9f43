/** docs/architecture.md and CONTRIBUTING.md against the tree: what they name exists; the table of folders is the import law. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ARROWS, LAYERS } from './support/import-law.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TEXT = readFileSync(`${ROOT}docs/architecture.md`, 'utf8')

test('every file and folder that they name exists', () => {
  const text = `${TEXT}\n${readFileSync(`${ROOT}CONTRIBUTING.md`, 'utf8')}`
  const named = [...text.matchAll(/(?<![\w/.])(?:src|test|docs|scripts|bench|page)\/[\w./-]*\w/g)].map(([path]) => path)
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(path => !existsSync(`${ROOT}${path}`))).toEqual([])
})

/** Rows of the table of folders: the folders in the first cell, the subfolders in the last. */
const rows = [...TEXT.matchAll(/^\| (`src[^|]*) \|[^|]*\|([^|]*)\|$/gm)].map(([, first = '', last = '']) => ({
  folders: [...first.matchAll(/`src\/([\w/-]+)(?:\.ts)?`/g)].map(([, name = '']) => name),
  layers: last
    .split(',')
    .map(layer => layer.trim())
    .filter(layer => layer !== ''),
}))

test('its table lists every folder of the import law, each after those that it imports', () => {
  const order = rows.flatMap(({ folders }) => folders)
  const law = Object.keys(ARROWS).filter(name => name !== 'index' && name !== 'formats/index')
  expect([...order].sort()).toEqual([...law].sort())
  for (const folder of order)
    for (const target of ARROWS[folder] ?? [])
      if (order.includes(target)) expect(order.indexOf(target), `${folder} imports ${target}`).toBeLessThan(order.indexOf(folder))
})

test('its subfolders stand in the order of the import law', () => {
  const layered = rows.filter(({ layers }) => layers.length > 0)
  expect(Object.fromEntries(layered.map(({ folders, layers }) => [folders[0], layers]))).toEqual(LAYERS)
})
