/**
 * Names the lists to clients, and answers which of their earlier searches an import of lists may concern. It reads no stored search, and so
 * shows none. An operation of fettle's own service.
 */
import { hash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { LIST_CHANGES, mayCarryOut } from '../../contract/index.ts'
import { turnEvery } from '../../loop-turns.ts'
import type { AppDeps } from '../deps.ts'
import { check, findUser, routePath } from '../http/route.ts'
import { Refusal } from '../refusal.ts'
import type { ListInfo } from './lists/import.ts'
import type { Reverse } from './reverse.ts'
import type { Question, Screener } from './screener.ts'

type States = Pick<ListInfo, 'name' | 'fileSha256' | 'history'>

/** The lists by digests, which name neither them nor their content. */
export class ListsKeys {
  readonly #screener: Screener
  #last: { readonly key: string; readonly since: string; readonly reverse: Reverse | null } | null = null

  constructor(screener: Screener) {
    this.#screener = screener
  }

  /** Of the lists that are searched now. Call `ready` of the screener before, like `readReverse`. */
  get key(): string {
    const { infos } = this.#screener
    return infos.length === 0 ? this.#digest('sample') : infos.map(info => this.#digestState(info, info.fileSha256)).join('.')
  }

  /** What changed since the lists of an earlier key; null where that is not known. */
  async readReverse(since: string): Promise<Reverse | null> {
    const { key } = this
    if (this.#last?.key === key && this.#last.since === since) return this.#last.reverse
    const earlier = this.#findKey(since)
    const reverse = earlier === null ? null : await this.#screener.reverse(earlier)
    // A changes file that cannot be read now may be restored.
    if (reverse !== null) this.#last = { key, since, reverse }
    return reverse
  }

  /** The screener's key of these lists; null for a state that no import has kept. */
  #findKey(since: string): string | null {
    const digests = since.split('.')
    const { infos } = this.#screener
    if (digests.length !== infos.length) return null
    const found = infos.map((info, at) => {
      const states = [info.fileSha256, ...(info.history ?? []).map(({ from }) => from)]
      const state = states.find(sha256 => this.#digestState(info, sha256) === digests[at])
      return state === undefined ? null : `${info.name}/${state}`
    })
    return found.includes(null) ? null : [this.#screener.version, ...found].join()
  }

  #digestState({ name }: States, sha256: string): string {
    return this.#digest(`${name}/${sha256}`)
  }

  #digest(text: string): string {
    return hash('sha256', `${this.#screener.version} ${text}`).slice(0, 16)
  }
}

/** What of a search `concerns` reads. */
const readQuestion = ({ type, name, threshold }: Pick<Question, 'type' | 'name' | 'threshold'>): Question => ({
  ...{ type, name: name.trim(), person: null, threshold, datasets: [], countryCodes: [] },
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})

export function changesRoute(app: FastifyInstance, deps: AppDeps, lists: ListsKeys): void {
  const { screener, rates, limits } = deps
  app.route({
    method: LIST_CHANGES.method,
    url: routePath(LIST_CHANGES),
    bodyLimit: limits.jsonBytes,
    onRequest: async request => {
      const { role, username } = await findUser(request, deps)
      if (!mayCarryOut(role, LIST_CHANGES)) throw new Refusal(403, 'Access forbidden')
      rates.admit('other', username)
    },
    handler: async ({ body }) => {
      const { listsKey: since, searches } = check(LIST_CHANGES.request, body, 'body')
      await screener.ready()
      const { key: listsKey } = lists
      if (since === listsKey) return { listsKey, changed: [] }
      const reverse = await lists.readReverse(since)
      if (reverse === null) return { listsKey, changed: null }
      const changed: number[] = []
      const turn = turnEvery()
      for (const [at, search] of searches.entries()) {
        if (reverse.concerns(readQuestion(search), search.hasHits)) changed.push(at)
        await turn()
      }
      return { listsKey, changed }
    },
  })
}
