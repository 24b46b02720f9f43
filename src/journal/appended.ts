/** A list that grows with the events of a fold. Its versions share the items, so that no event copies those before it. */
export class Appended<Item> {
  readonly size: number
  readonly #items: Item[]

  private constructor(items: Item[], size: number) {
    this.#items = items
    this.size = size
  }

  static empty<Item>(): Appended<Item> {
    return new Appended<Item>([], 0)
  }

  add(...added: readonly Item[]): Appended<Item> {
    // An earlier version of the list has had another item appended: the two no longer share.
    const items = this.#items.length === this.size ? this.#items : this.values()
    for (const item of added) items.push(item)
    return new Appended(items, this.size + added.length)
  }

  values(): Item[] {
    return this.#items.slice(0, this.size)
  }
}
