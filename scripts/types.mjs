/**
 * Checks that the types of each entry are found, that they need none of other packages, and that they are those of the sources, whose
 * schemas the build writes out (plain-types.mjs). Needs `npm run build` first.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { installExtras } from './extras.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
installExtras('optional', 'types')
const dist = join(root, 'dist')
const declarations = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.d.ts'))
const foreign = declarations.flatMap(name => {
  const text = readFileSync(join(dist, name), 'utf8')
  const found = text.matchAll(/^(?:import|export)\b[^'"]*\bfrom\s+["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm)
  const targets = [...found].map(([, one, other]) => one ?? other)
  return targets.filter(to => !/^(?:\.|node:)/.test(to)).map(to => `${name} imports the types of ${to}`)
})
if (foreign.length > 0 || declarations.length === 0) {
  console.error(foreign.join('\n') || 'dist has no declarations: run npm run build')
  process.exitCode = 1
}

const ENTRIES = ['index', 'client/index', 'service/index', 'testing/index']
const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, incremental: false }, root)
const files = ENTRIES.map(name => [join(root, 'src', `${name}.ts`), join(dist, `${name}.d.ts`)])
const program = ts.createProgram(files.flat(), options)
const checker = program.getTypeChecker()
const exportsOf = file => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
/** A class with private fields, and a schema, which is declared with `parse` alone. */
const OWN = new Set(['VirtualClock', 'fault'])
const real = symbol => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
const typeOf = one => (one.flags & ts.SymbolFlags.Value ? checker.getTypeOfSymbol(one) : checker.getDeclaredTypeOfSymbol(one))
const isGeneric = one => one.declarations.some(({ typeParameters }) => typeParameters !== undefined)
const areEqual = (one, other) => checker.isTypeAssignableTo(one, other) && checker.isTypeAssignableTo(other, one)
for (const [source, packed] of files) {
  const own = new Map(exportsOf(source).map(symbol => [symbol.name, real(symbol)]))
  const found = new Map(exportsOf(packed).map(symbol => [symbol.name, real(symbol)]))
  for (const [name, symbol] of own) {
    const is = found.get(name)
    if (is !== undefined && (OWN.has(name) || isGeneric(symbol))) continue
    if (is !== undefined && areEqual(typeOf(symbol), typeOf(is)) && !(typeOf(is).flags & ts.TypeFlags.Any)) continue
    console.error(`${packed}: ${name} is ${is === undefined ? 'missing' : 'another type than in the sources'}`)
    process.exitCode = 1
  }
}

const folder = mkdtempSync(join(tmpdir(), 'fettle-types-'))
try {
  // Without scripts: `prepare` would build over the files that others use.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(
    execFileSync('npm', pack, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  // ESM only, as package.json says.
  const judge = ['--profile', 'esm-only', '--no-definitely-typed', '--', join(folder, filename)]
  execFileSync(process.execPath, [join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js'), ...judge], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  })
} catch (error) {
  if (error.status === undefined) throw error
  console.error(`${error.stdout}${error.stderr}`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
