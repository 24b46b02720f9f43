/** A list that grows with the events of a fold. Its versions share the items, so that no event copies those before it. */
export interface Appended<Item> {
  readonly size: number
  add(...added: readonly Item[]): Appended<Item>
  values(): Item[]
}

class Version<Item> implements Appended<Item> {
  readonly size: number
  readonly #items: Item[]

  constructor(items: Item[], size: number) {
    this.#items = items
    this.size = size
  }

  add(...added: readonly Item[]): Appended<Item> {
    // An earlier version of the list has had another item appended: the two no longer share.
    const items = this.#items.length === this.size ? this.#items : this.values()
    for (const item of added) items.push(item)
    return new Version(items, this.size + added.length)
  }

  values(): Item[] {
    return this.#items.slice(0, this.size)
  }
}

/** A list without items. */
export function emptyList<Item>(): Appended<Item> {
  return new Version<Item>([], 0)
}
