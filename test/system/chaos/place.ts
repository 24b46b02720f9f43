/**
 * The environment of runs: a copy of the product, so that a rebuild does not disturb them, a small register, and a folder for
 * each run.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { memoryFolder } from '../../support/memory-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Modules of the built product, with the types of its sources. */
export interface Product {
  readonly folder: string
  readonly testing: typeof import('../../../src/testing/index.ts')
  readonly journal: typeof import('../../../src/journal/index.ts')
  readonly runs: typeof import('../../../src/runs/run-directory.ts')
}

/** A fresh folder that is removed at the end. */
export function makeRoot(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(memoryFolder(), 'fettle-chaos-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Copies a build (dist, and the build folder beside it) beside what it needs: a campaign takes minutes, and somebody may build meanwhile. */
export async function copyProduct(to: string, dist: string): Promise<Product> {
  const folder = join(to, 'product')
  mkdirSync(folder)
  cpSync(dist, join(folder, 'dist'), { recursive: true })
  cpSync(join(dist, '../build'), join(folder, 'build'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
  return {
    folder,
    testing: await load('dist/testing/index.js'),
    journal: await load('build/journal/index.js'),
    runs: await load('build/runs/run-directory.js'),
  }
}

/** The build of this checkout. */
export const OWN_DIST = join(root, 'dist')

const word = (n: number): string =>
  `${['Bell', 'Crag', 'Dale', 'Elm', 'Fern', 'Glen', 'Holm', 'Isle', 'Kiln', 'Lark'][n % 10]}${['brook', 'stone', 'field'][n % 3]}`
const REGISTER = [
  'id,name,country,orgNumber,town,postcode',
  ...Array.from({ length: 30 }, (_, n) => `c${n},Harrow ${word(n)} Limited,GB,${10_000_000 + n},Leeds,LS1 ${n % 10}AB`),
].join('\n')
/** Rows of the input: some matched by number, some by name, one twice, one by nobody. */
export const ROWS = 14
const INPUT = [
  'ref,Company,No,Country',
  ...Array.from({ length: ROWS - 2 }, (_, n) => `${n},Harrow ${word(n * 2)} Ltd,${n % 3 === 0 ? 10_000_000 + n * 2 : ''},GB`),
  `again,Harrow ${word(0)} Ltd,,GB`,
  'x,Nobody Knows Them GmbH,,DE',
].join('\n')
const PIPELINE = `name: chaos
input: { path: in.csv, key: ref }
mappings: { name: Company, orgNumber: No, country: Country }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
poll: { every: 500ms, max: 4s }
output: { path: out.csv, columns: ["*", general.connectId, match.outcome, match.score], unmatched: unmatched.csv }
`

/** The files a run leaves for others. */
export const OUTPUTS = ['out.csv', 'unmatched.csv']

/** Imports the register. */
export async function makeRegister(dir: string, product: Product): Promise<void> {
  const file = join(dir, '..', 'register.csv')
  writeFileSync(file, REGISTER)
  const { importRegister } = (await import(
    pathToFileURL(join(product.folder, 'build/service/registers/index.js')).href
  )) as typeof import('../../../src/service/registers/index.ts')
  await importRegister({ file, name: 'small', dir, now: new Date('2026-01-01T00:00:00Z') })
}

/** A folder with pipeline and input. */
export function makePlace(folder: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'in.csv'), INPUT)
  writeFileSync(join(folder, 'pipeline.yml'), PIPELINE)
  return folder
}
