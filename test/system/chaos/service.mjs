/**
 * The embedded service as a child process to be killed. It loads in advance and starts on command, so that it is absent only
 * briefly; password checks cost a sixteenth, because every resumed run logs in again. Arguments: the folder of the product.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const { scrypt } = crypto
crypto.scrypt = (password, salt, length, options, done) => scrypt(password, salt, length, { ...options, N: 2 ** 10 }, done)
syncBuiltinESMExports()

const { serve } = await import(pathToFileURL(join(process.argv[2], 'dist/service/index.js')).href)
process.on('message', async options => {
  const { url } = await serve(options)
  process.send({ url })
})
process.on('disconnect', () => process.exit())
process.send('ready')
