/**
 * A register of any size for speed tests: real companies first, then ones whose words, addresses and domains are recombined from
 * them. The same companies every time. Says nothing about quality.
 */

/** Random numbers that are the same everywhere (mulberry32). */
function randomFrom(seed) {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Yields `count` companies grown from `companies`. */
export function* grow(companies, count) {
  const random = randomFrom(1)
  const any = () => companies[random(companies.length)]
  const wordsOf = name => name.split(' ')
  for (let n = 0; n < count; n++) {
    if (n < companies.length) {
      yield companies[n]
      continue
    }
    const model = any()
    const name = wordsOf(model.name)
      .map((word, at) => wordsOf(any().name)[at] ?? word)
      .join(' ')
    const [place, site] = [any(), any()]
    const id = `G${String(n).padStart(9, '0')}`
    const orgNumber = model.orgNumber === '' ? '' : String(10_000_000 + n)
    yield {
      ...model,
      id,
      name,
      orgNumber,
      connectId: `${model.country || 'XX'}-X-${orgNumber || id}`,
      address1: place.address1,
      town: place.town,
      postcode: place.postcode === '' ? '' : place.postcode.slice(0, -2) + String.fromCharCode(65 + random(26), 65 + random(26)),
      website: site.website === '' ? '' : site.website.replace(/\.[a-z]+\/?$/, `${n}$&`),
    }
  }
}
