/** Finds files that ship with the package (package.json, samples, schema), and the command that installs packages beside it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

let root: URL | null = null

/** The path of a file of the package, such as `samples/register.csv`, from any module of the source or of the bundle. */
export function packageFile(name: string): string {
  if (root === null) {
    let folder = new URL('.', import.meta.url)
    while (!existsSync(new URL('package.json', folder))) folder = new URL('..', folder)
    root = folder
  }
  return fileURLToPath(new URL(name, root))
}

/**
 * The command that installs packages where fettle finds them: a global copy has no package.json above it, and one that npx fetched is
 * in a cache, so that a copy in the project takes its place.
 */
export function installCommand(...names: readonly string[]): string {
  const [, above] = /^(.*)[/\\]node_modules[/\\]/.exec(packageFile('package.json')) ?? []
  const isGlobal = above !== undefined && !existsSync(join(above, 'package.json'))
  const isFetched = above !== undefined && /[/\\]_npx[/\\]/.test(above)
  return `npm install ${isGlobal ? '-g ' : isFetched ? 'fettle ' : ''}${names.join(' ')}`
}
