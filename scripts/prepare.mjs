/**
 * Builds after `npm install` and `npm ci` in the repository, before `npm pack`, and for an install from git. npm prepares a global install
 * from git without the tools (it passes its own --global on to the install that should bring them), so they are installed here.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runNpm } from './extras.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
if (!existsSync(new URL('../node_modules/rolldown', import.meta.url))) runNpm(['ci', '--include=dev'], root)
execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' })
