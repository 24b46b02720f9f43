/** Who we are: name and version from package.json, read when first asked for, since nothing happens at import time. */
import { readFileSync } from 'node:fs'
import { packageFile } from '../package-file.ts'

/** The tool's name and version, for journals, reports and `--version`. */
export interface PackageInfo {
  readonly name: string
  readonly version: string
}

let tool: PackageInfo | undefined

export function packageInfo(): PackageInfo {
  if (tool === undefined) {
    const { name, version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as PackageInfo
    tool = { name, version }
  }
  return tool
}

/** A package that the programs contain parts from; `imported`: by fettle itself, not by another package. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly imported: boolean
}

/** The packages that `npm audit` of a user does not see. */
export const bundledPackages = (): readonly BundledPackage[] =>
  JSON.parse(readFileSync(packageFile('dist/bundled.json'), 'utf8')) as BundledPackage[]
