/** A PostgreSQL of the machine for a benchmark: on a socket in a folder, as a user that is not root; null where none is installed. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = '/usr/lib/postgresql'
const NOBODY = 65_534

/** Starts it with the settings of a fresh installation; the address is that of the database `postgres`. */
export async function startPostgres(folder) {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((a, b) => Number(b) - Number(a)) : []
  const bin = versions.map(version => join(ROOT, version, 'bin')).find(path => existsSync(join(path, 'initdb')))
  if (bin === undefined) return null
  const asUser = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  mkdirSync(folder)
  if (process.getuid() === 0) chownSync(folder, NOBODY, NOBODY)
  const data = join(folder, 'data')
  const options = { ...asUser, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: {} }
  execFileSync(join(bin, 'initdb'), ['-D', data, '--username=fettle', '--auth=trust', '--encoding=UTF8', '--locale=C'], options)
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-c', 'listen_addresses=', '-k', folder], options)
  await new Promise((resolve, reject) => {
    let text = ''
    server.stderr.setEncoding('utf8').on('data', piece => {
      text += piece
      if (text.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(text)))
  })
  return {
    url: `postgresql://fettle@localhost/postgres?host=${encodeURIComponent(folder)}`,
    psql: [join(bin, 'psql'), '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-h', folder, '-U', 'fettle', '-d', 'postgres'],
    version: execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim(),
    async stop() {
      const ended = new Promise(resolve => server.once('exit', resolve))
      server.kill('SIGINT')
      await ended
    },
  }
}
