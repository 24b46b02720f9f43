/** A seeded source of choices: the same seed and label give the same choices on every machine. It knows nothing of companies. */

/** FNV-1a over a label, so that every part of the samples draws from a stream of its own. */
function hash(text) {
  let h = 0x811c9dc5
  for (const character of text) h = Math.imul(h ^ character.codePointAt(0), 0x01000193) >>> 0
  return h
}

/** Returns a generator of choices (mulberry32) with the helpers the samples need; `fork(label)` is independent of what was drawn before. */
export function createRandom(seed) {
  let state = hash(seed)
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (from, to) => from + Math.floor(next() * (to - from + 1))
  const pick = list => list[int(0, list.length - 1)]
  const shuffle = list => {
    const copy = [...list]
    for (let i = copy.length - 1; i > 0; i--) {
      const j = int(0, i)
      ;[copy[i], copy[j]] = [copy[j], copy[i]]
    }
    return copy
  }
  return {
    int,
    pick,
    shuffle,
    chance: share => next() < share,
    digits: count => Array.from({ length: count }, () => int(0, 9)).join(''),
    /** Picks from `[weight, ...value]` entries and returns the whole entry. */
    weighted: entries => {
      let left = next() * entries.reduce((sum, entry) => sum + entry[0], 0)
      for (const entry of entries) {
        left -= entry[0]
        if (left < 0) return entry
      }
      return entries.at(-1)
    },
    /** `#` becomes a digit, `?` a capital that British and Dutch postcodes use. */
    fill: pattern => pattern.replace(/[#?]/g, c => (c === '#' ? String(int(0, 9)) : pick([...'ABDEFGHJLNPRSTUWXYZ']))),
    fork: label => createRandom(`${seed}/${label}`),
  }
}
