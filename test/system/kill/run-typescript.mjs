/** Lets a child process run TypeScript sources: `node --import ./run-typescript.mjs file.ts`. Only strips types. */
import { readFile } from 'node:fs/promises'
import { register } from 'node:module'
import { fileURLToPath } from 'node:url'

const isMain = !import.meta.url.includes('?hook')
if (isMain) register(`${import.meta.url}?hook`)

/** The loader's hook. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const { transformSync } = await import('rolldown/utils')
  const file = fileURLToPath(url)
  const { code, errors } = transformSync(file, await readFile(file, 'utf8'), {
    target: 'node20',
    typescript: { onlyRemoveTypeImports: true },
    tsconfig: false,
  })
  if (errors.length > 0) throw new Error(errors.map(error => error.codeframe ?? error.message).join('\n'))
  return { format: 'module', source: code, shortCircuit: true }
}
