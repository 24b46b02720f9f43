#!/usr/bin/env node
/**
 * The way in: it finds out whether this Node can run fettle before anything that needs it is loaded, and what an error nobody
 * caught means. Everything else is program.ts. Only syntax that old versions of Node can read may stand here.
 */
const found = process.versions.node
const parts = found.split('.').map(Number)
const major = Number(parts[0])
const minor = Number(parts[1])

/** What package.json asks for under `engines`; a test compares the two. */
const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24

/** Node's own code for an uncaught error is 1, which here means that the data did not pass. */
function fail(error: unknown): void {
  const told = error instanceof Error ? error.message : String(error)
  // What was to clean it may be what failed.
  const why = told.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
  process.stderr.write(`error FETTLE_BUG\n  unexpected: ${why}\n  hint: this is a mistake in fettle; please report it\n`)
  process.once('exit', () => {
    process.exitCode = 70
  })
}

if (isSupported) {
  process.on('uncaughtException', fail)
  import('./program.ts').then(program => program.start()).catch(fail)
} else {
  process.stderr.write(`error FETTLE_USAGE Node ${found} is too old or untested: fettle needs ^20.19 || ^22.12 || >=24\n`)
  process.exitCode = 2
}
