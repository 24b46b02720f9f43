/** A batch carried out one element after the other: what is refused fails alone, with the reason as RFC 7807 has it (contract §2.5). */
import { STATUS_CODES } from 'node:http'
import { Refusal } from '../refusal.ts'

/** One refused element. */
interface Failed<Item> {
  readonly failedItem: Item
  readonly error: { type: string; title: string; status: number; detail: string; instance: string }
}

/** What became of a batch. */
export interface BatchAnswer<Item, Done> {
  readonly failed: Failed<Item>[]
  readonly successful: Done[]
  readonly correlationId: string
}

/** Carries out `work` on each item; `pathOf` names an item in the answer. What is no refusal is thrown. */
export function carryOut<Item, Done>(
  items: readonly Item[],
  { work, pathOf, correlationId }: { work: (item: Item) => Done; pathOf: (item: Item) => string; correlationId: string },
): BatchAnswer<Item, Done> {
  const failed: Failed<Item>[] = []
  const successful: Done[] = []
  for (const item of items) {
    try {
      successful.push(work(item))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { status, message, details } = error
      const title = STATUS_CODES[status] ?? 'Refused'
      const detail = details === '' ? message : `${message}: ${details}`
      failed.push({ failedItem: item, error: { type: 'about:blank', title, status, detail, instance: pathOf(item) } })
    }
  }
  return { failed, successful, correlationId }
}
