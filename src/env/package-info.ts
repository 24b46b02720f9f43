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
