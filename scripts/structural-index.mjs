/** Compiles src/input/scan/structural-index.wat into the module beside it; with --check fails when that is not current. */
import { readFileSync, writeFileSync } from 'node:fs'
import wabt from 'wabt'

const folder = new URL('../src/input/scan/', import.meta.url)
const source = new URL('structural-index.wat', folder)
const target = new URL('structural-index-module.ts', folder)

const { parseWat } = await wabt()
const bytes = parseWat('structural-index.wat', readFileSync(source, 'utf8'), { simd: true }).toBinary({}).buffer
const text = `/** WebAssembly in base64, compiled from structural-index.wat by \`npm run generated\`. */
export const MODULE =
  '${Buffer.from(bytes).toString('base64')}'
`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write('src/input/scan/structural-index-module.ts is not current: npm run generated\n')
  process.exitCode = 1
}
