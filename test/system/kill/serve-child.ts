/** A service as a child process to be killed: prints its login as one JSON line. Arguments: data directory, pause per row. */
import { start } from '../../../src/service/server.ts'
import { engine } from '../../unit/service/engine.ts'

const [dataDir = '', rowPauseMs = '0'] = process.argv.slice(2)
const users = [{ username: 'u', password: 'p' }]
const { url } = await start({ dataDir, users, rowPauseMs: Number(rowPauseMs) }, engine, [])
process.stdout.write(`${JSON.stringify({ url, username: 'u', password: 'p' })}\n`)
