/**
 * Writes ./dist from ./src one file at a time: what tests run, made in a second. No types are checked and no declarations are
 * written; `npm run build` does both with tsc. Only sources newer than their output are compiled. JSON files are copied.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'

const root = fileURLToPath(new URL('..', import.meta.url))
const [src, dist] = [join(root, 'src'), join(root, 'dist')]
const timeOf = path => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
const filesIn = (folder, ending) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith(ending))

/** Compiles what is out of date and removes outputs without a source. Throws with file, line and column of a syntax error. */
export function buildForTests() {
  mkdirSync(dist, { recursive: true })
  const sources = filesIn(src, '.ts')
  for (const name of sources) {
    const [from, to] = [join(src, name), join(dist, `${name.slice(0, -3)}.js`)]
    if (timeOf(to) > timeOf(from)) continue
    const { code, errors } = transformSync(from, readFileSync(from, 'utf8'), {
      target: 'node20',
      typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
      tsconfig: false,
    })
    if (errors.length > 0)
      throw new Error(`${from} cannot be compiled:\n${errors.map(error => error.codeframe ?? error.message).join('\n')}`)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, code)
  }
  const tables = filesIn(src, '.json')
  for (const name of tables) {
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    if (timeOf(join(dist, name)) <= timeOf(join(src, name))) copyFileSync(join(src, name), join(dist, name))
  }
  const wanted = new Set([...sources.map(name => `${name.slice(0, -3)}.js`), ...tables])
  for (const name of [...filesIn(dist, '.js'), ...filesIn(dist, '.json')]) if (!wanted.has(name)) rmSync(join(dist, name))
}
