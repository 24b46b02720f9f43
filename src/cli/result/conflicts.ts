/** Rejects, before anything is sent, files that a call would both read and write, or write twice. Links are resolved. */
import { resolve } from 'node:path'
import { OUTPUT_FILES, type Plan } from '../../pipeline/index.ts'
import { realPath } from '../../prepare/check-outputs.ts'
import { type Flags, usageError } from '../command.ts'
import { textFlag } from '../options/read.ts'
import type { CallReporters } from '../reporters/call-reporters.ts'

export const ownFiles = (flags: Flags, { paths }: CallReporters): (readonly [string, string])[] => {
  const files = ['result-file', 'record'].flatMap(flag => {
    const path = textFlag(flags, flag)
    return path === null ? [] : [[`--${flag}`, path] as const]
  })
  return [...files, ...paths.map(path => ['--reporter', path] as const)]
}

/** Throws FETTLE_USAGE for two pipelines with one name or output, and for one whose input is the output of another. */
export async function refuseConflicts(
  items: readonly { readonly file: string; readonly plan: Plan }[],
  own: readonly (readonly [flag: string, path: string])[],
  cwd: string,
): Promise<void> {
  const owners = new Map<string, string>()
  const inputs = new Map<string, string>()
  for (const { file, plan } of items)
    for (const { path } of plan.input.files ?? [plan.input])
      inputs.set(await realPath(resolve(cwd, path)), `the input of ${file}`)
  for (const [flag, path] of own) {
    const real = await realPath(resolve(cwd, path))
    const other = owners.get(real) ?? inputs.get(real)
    if (other !== undefined) throw usageError(`${flag} would write ${path}, which is ${other}`, 'Name another file.')
    owners.set(real, flag)
  }
  for (const { file, plan } of items) {
    const { name, output } = plan
    const paths = OUTPUT_FILES.map(({ key }) => output?.[key]).filter(path => path != null)
    const places = await Promise.all(paths.map(async path => [await realPath(resolve(cwd, path)), `the output ${path}`] as const))
    for (const [claim, words] of [[`name ${name}`, `the name ${name}`] as const, ...places]) {
      const reader = inputs.get(claim)
      if (reader !== undefined) throw usageError(`${file} writes ${words}, which is ${reader}`, 'Run them one after the other.')
      const other = owners.get(claim)
      if (other !== undefined) throw usageError(`${other} and ${file} both have ${words}`, 'Give each its own.')
      owners.set(claim, file)
    }
  }
}
