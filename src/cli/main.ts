#!/usr/bin/env node
/** Entry point: checks the version of Node before it loads the program, and handles uncaught errors. Uses only syntax of old Node versions. */
const found = process.versions.node
const parts = found.split('.').map(Number)
const major = Number(parts[0])
const minor = Number(parts[1])

/** `engines` of package.json; a test compares the two. */
const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24

/** Node exits with 1 on an uncaught error, which here means that a check of the data failed. */
function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  // The escaping helper itself may be what failed.
  const why = message.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
  process.stderr.write(`error FETTLE_BUG\n  unexpected: ${why}\n  hint: this is a mistake in fettle; please report it\n`)
  process.once('exit', () => {
    process.exitCode = 70
  })
}

// Its file system cannot sync a file (FileHandle.sync: "Method not implemented"), and fettle promises what survives a power cut.
const isPlugAndPlay = 'pnp' in process.versions

if (isSupported && isPlugAndPlay) {
  process.stderr.write(
    "error FETTLE_USAGE Yarn's Plug'n'Play cannot sync files to disk\n  hint: Set nodeLinker: node-modules in .yarnrc.yml, and run yarn install.\n",
  )
  process.exitCode = 2
} else if (isSupported) {
  process.on('uncaughtException', fail)
  // Before the modules are loaded: Node reads their maps then.
  if (process.argv.includes('--debug')) process.setSourceMapsEnabled(true)
  // Node exits with 0 when nothing is left that a command could wait for: a success without a result.
  const unfinished = (): void => fail(new Error('the command stopped waiting before it had a result'))
  process.once('beforeExit', unfinished)
  import('./program.ts')
    .then(program => program.start())
    .catch(fail)
    .then(() => process.removeListener('beforeExit', unfinished))
} else {
  process.stderr.write(`error FETTLE_USAGE Node ${found} is too old or untested: fettle needs ^20.19 || ^22.12 || >=24\n`)
  process.exitCode = 2
}
