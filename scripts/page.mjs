/**
 * Writes src/report/html/script.ts: the page's script, made of page/ as one text, with the digest that the page's policy allows;
 * with --check fails when it is not current.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const path = new URL('../src/report/html/script.ts', import.meta.url)
const bundle = await rolldown({
  input: fileURLToPath(new URL('../page/main.ts', import.meta.url)),
  platform: 'browser',
  tsconfig: false,
  // An import that cannot be resolved is only a warning, and would become a global that the page lacks.
  onLog: (_level, { message }) => {
    throw new Error(message)
  },
})
const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false })
await bundle.close()
const code = output[0].code.trim()
if (code.includes('</')) throw new Error('the script would end its element')
const digest = createHash('sha256').update(code).digest('base64')
const text = `/** The page's script, made of page/ by scripts/page.mjs: do not edit. */

/** SHA-256 of the script as the browser sees it, base64. */
export const SCRIPT_SHA256 = '${digest}'

/** The script. */
export const SCRIPT = ${JSON.stringify(code)}
`
if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  process.stderr.write('src/report/html/script.ts is not current: node scripts/page.mjs\n')
  process.exitCode = 1
}
process.stdout.write(process.argv.includes('--check') ? '' : `${code.length} bytes\n`)
