/** Programs outside src (benchmarks, generators, children of tests): what they import exists, and scripts of package.json name files that exist. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const programs = execFileSync('git', ['ls-files', 'bench', 'scripts', 'test', '*.mjs'], { cwd: ROOT, encoding: 'utf8' })
  .split('\n')
  .filter(name => name.endsWith('.mjs') && existsSync(`${ROOT}${name}`))

/** Modules that a program imports or names as a file URL, with the names it takes from them. */
function importsOf(file: string): { module: string; names: string[] }[] {
  const source = ts.createSourceFile(file, readFileSync(`${ROOT}${file}`, 'utf8'), ts.ScriptTarget.ESNext, true)
  const found: { module: string; names: string[] }[] = []
  const add = (module: ts.Node | undefined, names: string[]): void => {
    if (module !== undefined && ts.isStringLiteral(module) && /^\.{1,2}\/.*\.m?js$/.test(module.text))
      found.push({ module: posix.join(posix.dirname(file), module.text), names })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const named = node.importClause?.namedBindings
      const names = named !== undefined && ts.isNamedImports(named) ? named.elements : []
      add(
        node.moduleSpecifier,
        names.map(one => (one.propertyName ?? one.name).text),
      )
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) add(node.arguments[0], [])
    else if (ts.isNewExpression(node) && node.expression.getText() === 'URL') add(node.arguments?.[0], [])
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** dist is made of src file by file. */
const sourceOf = (module: string): string => module.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')

test.each(programs)('%s imports modules and names that exist', async program => {
  for (const { module, names } of importsOf(program)) {
    const path = sourceOf(module)
    expect(existsSync(`${ROOT}${path}`), path).toBe(true)
    if (!path.startsWith('src/')) continue
    const exported = names.length === 0 ? [] : Object.keys(await import(/* @vite-ignore */ `${ROOT}${path}`))
    expect(exported, path).toEqual(expect.arrayContaining(names))
  }
})

test('scripts of package.json run files that exist', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { scripts: Record<string, string> }
  const files = Object.values(scripts).flatMap(script =>
    [...script.matchAll(/node ([\w/.-]+\.mjs)/g)].map(([, file = '']) => file),
  )
  expect(files.length).toBeGreaterThan(4)
  for (const file of files) expect(existsSync(`${ROOT}${file}`), file).toBe(true)
})
