/**
 * Lets a child process run TypeScript sources: `node --import ./run-typescript.mjs file.ts`. Only strips types. What it has compiled
 * is kept: loading the compiler takes longer than most children live.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

const isMain = !import.meta.url.includes('?hook')
if (isMain) register(`${import.meta.url}?hook`)

const kept = fileURLToPath(new URL('../../../node_modules/.cache/run-typescript/', import.meta.url))

/** The loader's hook. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const text = await readFile(fileURLToPath(url), 'utf8')
  const file = `${kept}${createHash('sha256').update(text).digest('hex')}.js`
  const source = await readFile(file, 'utf8').catch(() => compiled(text, file))
  return { format: 'module', source, shortCircuit: true }
}

/** Compiles a source; the file appears whole, since several children may compile at once. */
async function compiled(text, file) {
  const { default: ts } = await import('typescript')
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  })
  await mkdir(kept, { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, outputText)
  await rename(draft, file)
  return outputText
}
