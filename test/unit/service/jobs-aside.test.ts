/** The file of a long job, enriched in a separate thread: the same file, or the reason why there is none. */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readAnswer } from '../../../src/service/data-cleaning/processing/threads.ts'
import { importRegister } from '../../../src/service/registers/index.ts'
import type { serve as Serve } from '../../../src/service/serve.ts'
import { logIn, send, temporaryFolder } from './kit.ts'

const built = new URL('../../../build/service/serve.js', import.meta.url)

describe('a service with threads', () => {
  it('gives the enriched file of one without, with two registers', { timeout: 60_000 }, async () => {
    const { serve } = (await import(built.href)) as { serve: typeof Serve }
    const [registerDir, folder] = [await temporaryFolder(), await temporaryFolder()]
    for (const [name, rows] of [
      ['zoo', 'Z1,Northgate Fasteners Ltd,GB,01234567,\nZ2,Harbour Bakery Ltd,GB,,Hull\nZ3,Möller & Søn,DK,,Århus\n'],
      ['art', 'A1,Northgate Fastening Limited,GB,1234567,\nA2,Harbour Bakery Limited,GB,,Leeds\n'],
    ] as const) {
      const file = join(folder, `${name}.csv`)
      await writeFile(file, `id,name,country,orgNumber,town\n${rows}`)
      await importRegister({ file, name, dir: registerDir, now: new Date(0) })
    }
    const names = ['Northgate Fastening', 'Harbour Bakery', '"Möller ""&"" Søn"', 'Nobody, or nothing']
    const list = Array.from({ length: 2100 }, (_, row) => `${names[row % names.length]?.replaceAll(',', ' ')},${row}\n`)

    const enriched = async (threads: number): Promise<string> => {
      const service = await serve({ dataDir: await temporaryFolder(), registerDir, registers: ['zoo', 'art'], threads })
      onTestFinished(() => service.close())
      const caller = await logIn(service)
      const id = await caller.submitted(`name,row\n${list.join('')}`)
      await caller.reach(id, 'jobMatchingComplete')
      await caller.call('POST', `/dataCleaning/jobs/${id}/enrich`, {})
      const { countries } = (await caller.reach(id, 'enrichmentComplete')).body
      const link = await caller.call('GET', `/dataCleaning/jobs/${id}/enrichedFile?fileType=csv`)
      return `${countries}\n${(await send(link.body.filePath)).body}`
    }
    let started = 0
    const count = (): void => void started++
    process.on('worker', count)
    onTestFinished(() => void process.off('worker', count))
    const aside = await enriched(1)
    // One matches, one enriches.
    expect(started).toBe(2)
    expect(aside).toContain('Möller')
    expect(aside.split('\n')).toHaveLength(2103)
    expect(aside).toBe(await enriched(0))
  })
})

describe('what a thread answers', () => {
  const started = (code: string) => new Worker(`const { parentPort } = require('node:worker_threads')\n${code}`, { eval: true })

  it('is its message, once it has ended', async () => {
    const thread = started("parentPort.postMessage(['DK', 'GB'])")
    expect(await readAnswer(thread, new AbortController().signal)).toEqual(['DK', 'GB'])
    expect(thread.threadId).toBe(-1)
  })

  it('is its error, with the code of a full disk', async () => {
    const thread = started("throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })")
    await expect(readAnswer(thread, new AbortController().signal)).rejects.toMatchObject({
      message: 'no space left',
      code: 'ENOSPC',
    })
  })

  it('is an error when it ends without a message', async () => {
    await expect(readAnswer(started('process.exit(7)'), new AbortController().signal)).rejects.toThrow(
      'the thread that enriches a file ended',
    )
  })

  it('is awaited no longer once the service stops, and the thread is ended', async () => {
    const path = join(await temporaryFolder(), 'written')
    const write = `require('node:fs').writeFileSync(${JSON.stringify(path)}, '')`
    const stop = new AbortController()
    const thread = started(`${write}; parentPort.postMessage('ready'); setInterval(() => {}, 1000)`)
    await new Promise(ready => thread.once('message', ready))
    const answer = expect(readAnswer(thread, stop.signal)).rejects.toThrow(expect.objectContaining({ name: 'Stopped' }))
    stop.abort()
    await answer
    expect([existsSync(path), thread.threadId]).toEqual([true, -1])
    await expect(readAnswer(started(write), AbortSignal.abort())).rejects.toThrow(expect.objectContaining({ name: 'Stopped' }))
  })
})
