/** Replaces functions of a built-in module for all its importers, those loaded before included. */
import { syncBuiltinESMExports } from 'node:module'

/** Returns the function that puts the real ones back. `module` is the default export, as of `import fs from 'node:fs'`. */
export function replaceBuiltin<M extends object>(module: M, replacements: { [K in keyof M]?: unknown }): () => void {
  const real = Object.fromEntries(Object.keys(replacements).map(name => [name, module[name as keyof M]]))
  const set = (functions: object): void => {
    Object.assign(module, functions)
    syncBuiltinESMExports()
  }
  set(replacements)
  return () => set(real)
}
