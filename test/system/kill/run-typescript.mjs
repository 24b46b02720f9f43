/** Lets a child process run TypeScript sources: `node --import ./run-typescript.mjs file.ts`. Only strips types. */
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

const isMain = !import.meta.url.includes('?hook')
if (isMain) register(`${import.meta.url}?hook`)

/** The loader's hook. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const { default: ts } = await import('typescript')
  const source = await readFile(fileURLToPath(url), 'utf8')
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  })
  return { format: 'module', source: outputText, shortCircuit: true }
}
