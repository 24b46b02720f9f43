/** Finds files that ship with the package: package.json, samples, schema. */
import { existsSync } from 'node:fs'
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
