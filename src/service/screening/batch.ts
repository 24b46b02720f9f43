/** Runs a batch item by item. A refused item fails alone, with an error as in RFC 7807 (contract §2.5). */
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'

/** A batch before its elements are judged. */
export const looseBatch = z.looseObject({ items: z.array(z.looseObject({})) })

type Problem = { type: string; title: string; status: number; detail: string; instance: string }

/** Runs `work` on each item; `pathOf` returns the path of an item for its error. Other errors than refusals are thrown. */
export function runBatch<Item, Done>(
  items: readonly Item[],
  { work, pathOf, correlationId }: { work: (item: Item) => Done; pathOf: (item: Item) => string; correlationId: string },
) {
  const failed: { failedItem: Item; error: Problem }[] = []
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
