/** A service as a child process to be killed: prints its login as one JSON line. Arguments: data directory, pause per row. */
import { engine } from '../../unit/service/engine.ts'

// Compiled before the tests: compiling two hundred sources in each child would take seconds.
const built = new URL('../../../build/service/server.js', import.meta.url)
const { start }: typeof import('../../../src/service/server.ts') = await import(built.href)

const [dataDir = '', rowPauseMs = '0'] = process.argv.slice(2)
const users = [{ username: 'u', password: 'p' }]
const { url } = await start({ dataDir, users, rowPauseMs: Number(rowPauseMs) }, engine, [])
process.stdout.write(`${JSON.stringify({ url, username: 'u', password: 'p' })}\n`)
