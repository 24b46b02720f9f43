/** Builds ./dist before tests that run the binary, when a source is newer than it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'dist/cli/main.js')

const newest = (): number =>
  Math.max(
    ...[
      'tsconfig.json',
      'tsconfig.build.json',
      'package.json',
      ...readdirSync(join(root, 'src'), { recursive: true }).map(name => join('src', String(name))),
    ].map(name => statSync(join(root, name)).mtimeMs),
  )

export default function setup(): void {
  if (existsSync(built) && statSync(built).mtimeMs >= newest()) return
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], { cwd: root })
  } catch (error) {
    // tsc writes its files even so; they must not be taken for a good build next time.
    if (existsSync(built)) utimesSync(built, 0, 0)
    throw new Error(`the build failed:\n${(error as { stdout?: Buffer }).stdout?.toString() ?? error}`)
  }
}
