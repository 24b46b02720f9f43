/** The service under test: a process over one data directory that can be killed and restarted. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { kill, Spare } from './child.ts'

/** The login of every run; the password is marked, so that it is found wherever it leaks. */
export const LOGIN = { username: 'chaos', password: 'canary-3f9c2b7e-password' }

/** A job as the service tells of it. */
export interface Job {
  readonly id: string
  readonly name: string
}

/** The way to the service past all faults. */
export interface Access {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly token: string
}

/** A service that can be killed. */
export class Service {
  readonly #spare: Spare
  readonly #options: object
  #child: ChildProcess | null = null
  #isRestarting = false
  #url: Promise<string> = Promise.reject(new Error('the service was not started'))
  #token: { readonly url: string; readonly text: Promise<string> } | null = null
  /** Kills so far. */
  restarts = 0
  /** Told of each new address. */
  readonly onStart = new Set<(url: string) => void>()

  constructor(product: string, folder: string) {
    this.#spare = new Spare({ script: 'service.mjs', args: [product] })
    this.#options = {
      port: 0,
      dataDir: join(folder, 'service'),
      registerDir: join(folder, 'registers'),
      registers: [],
      users: [LOGIN],
    }
    this.#url.catch(() => {})
  }

  /** Its address, once it is up. */
  get url(): Promise<string> {
    return this.#url
  }

  start(): Promise<string> {
    this.#url = this.#begin()
    this.#url.catch(() => {})
    return this.#url
  }

  /** Kills it and starts it again on the same data; resolves with its new address. Asked for meanwhile, it is the same restart. */
  restart(): Promise<string> {
    if (this.#isRestarting) return this.#url
    this.#isRestarting = true
    this.restarts++
    const old = this.#child
    const gone = old === null ? Promise.resolve() : kill(old)
    this.#url = gone
      .then(() => this.#begin())
      .finally(() => {
        this.#isRestarting = false
      })
    this.#url.catch(() => {})
    return this.#url
  }

  /** Asks the service itself; again when it was killed under the question. */
  async ask<T>(question: (access: Access) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const url = await this.#url
        return await question({ url, ...LOGIN, token: await this.#tokenFor(url) })
      } catch (error) {
        if (attempt === 20) throw error
        await new Promise(resolve => setTimeout(resolve, 100))
      }
    }
  }

  /** The jobs that carry exactly this name. */
  jobsNamed(name: string): Promise<readonly Job[]> {
    return this.ask(async ({ url, token }) => {
      const headers = { authorization: `Bearer ${token}` }
      const reply = await fetch(`${url}/dataCleaning/jobs?jobName=${encodeURIComponent(name)}&pageSize=100`, { headers })
      if (!reply.ok) throw new Error(`listing jobs: ${reply.status}`)
      return ((await reply.json()) as Job[]).filter(job => job.name === name)
    })
  }

  async close(): Promise<void> {
    await this.#spare.close()
    if (this.#child !== null) await kill(this.#child)
  }

  async #begin(): Promise<string> {
    const child = await this.#spare.take()
    this.#child = child
    child.send(this.#options)
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the service ended before it listened: ${code ?? signal}`)
    })
    const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }]
    for (const tell of this.onStart) tell(url)
    return url
  }

  #tokenFor(url: string): Promise<string> {
    if (this.#token?.url !== url) this.#token = { url, text: logIn(url) }
    return this.#token.text
  }
}

async function logIn(url: string): Promise<string> {
  const reply = await fetch(`${url}/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(LOGIN),
  })
  return ((await reply.json()) as { token: string }).token
}
