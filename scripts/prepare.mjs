/**
 * Builds after `npm install` and `npm ci` in the repository, before `npm pack`, and for an install from git. npm prepares a global install
 * from git without the tools (it passes its own --global on to the install that should bring them), so they are installed here.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_config_(?:global|prefix|local_prefix|global_prefix|include|omit|location)$/i.test(name),
  ),
)
const run = (command, args) => execFileSync(command, args, { cwd: root, env, stdio: 'inherit' })

if (!existsSync(new URL('../node_modules/rolldown', import.meta.url)))
  run('npm', ['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'])
run(process.execPath, ['scripts/build.mjs'])
