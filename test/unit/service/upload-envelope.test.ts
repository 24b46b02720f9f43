/** The envelope of an upload over requests of a real socket. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { watchEnvelope } from '../../../src/service/data-cleaning/upload-route.ts'

test('a request that broke off before it is watched aborts at once: its parts would never end', async () => {
  const request = new IncomingMessage(new Socket())
  expect(watchEnvelope(request, 10).signal.aborted).toBe(false)
  request.destroy()
  const { signal } = watchEnvelope(request, 10)
  expect(signal.reason).toMatchObject({ status: 400, details: 'the body broke off' })
})
