/** Changes of a name that a screening should survive. Each is a function of the name and a random number in 0–1; null where it does not apply. */

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const FORM = /[\s,]+(?:ltd|limited|llc|inc|co|company|corp|corporation|gmbh|ag|sa|s\.a|plc|fze|llp)\.?$/i

const wordsOf = name =>
  name
    .replaceAll(',', ' ')
    .split(/\s+/)
    .filter(word => word !== '')
const pick = (list, random) => list[Math.floor(random() * list.length)]

/** One letter left out, doubled, changed or swapped with the next, in a word of four letters or more. */
function addError(name, random) {
  const places = [...name.matchAll(/\p{L}{4,}/gu)].flatMap(({ index, 0: word }) =>
    Array.from({ length: word.length - 1 }, (_, at) => index + at),
  )
  if (places.length === 0) return null
  const at = pick(places, random)
  const [before, letter, after] = [name.slice(0, at), name[at], name.slice(at + 1)]
  const kind = Math.floor(random() * 4)
  if (kind === 0) return before + after
  if (kind === 1) return before + letter + letter + after
  if (kind === 2) return before + pick(LETTERS.replace(letter.toLowerCase(), ''), random) + after
  return before + after[0] + letter + after.slice(1)
}

const ACCENTS = { a: 'á', e: 'é', i: 'ï', o: 'ö', u: 'ü', c: 'ç', n: 'ñ', A: 'Á', E: 'É', I: 'Ï', O: 'Ö', U: 'Ü', C: 'Ç', N: 'Ñ' }

export const MUTATIONS = {
  unchanged: name => name,
  accents: name => name.replaceAll(/[aeioucn]/gi, letter => ACCENTS[letter] ?? letter),
  order: name => (wordsOf(name).length < 2 ? null : wordsOf(name).reverse().join(' ')),
  legalForm: (name, _random, isPerson) => (isPerson || !FORM.test(name) ? null : name.replace(FORM, '')),
  oneError: addError,
  twoErrors: (name, random) => {
    const once = addError(name, random)
    return once === null || wordsOf(name).join('').length < 8 ? null : addError(once, random)
  },
  cut30: name => (name.length <= 30 ? null : name.slice(0, 30)),
  joined: (name, random) => {
    const words = wordsOf(name)
    if (words.length < 2) return null
    const at = Math.floor(random() * (words.length - 1))
    return [...words.slice(0, at), words[at] + words[at + 1], ...words.slice(at + 2)].join(' ')
  },
  split: (name, random) => {
    const words = wordsOf(name)
    const long = words.flatMap((word, at) => (word.length > 6 ? [at] : []))
    if (long.length === 0) return null
    const at = pick(long, random)
    const cut = 3 + Math.floor(random() * (words[at].length - 5))
    return words.with(at, `${words[at].slice(0, cut)} ${words[at].slice(cut)}`).join(' ')
  },
  initial: (name, _random, isPerson) => {
    const words = wordsOf(name)
    const parts = name.includes(',') ? name.split(',') : null
    if (!isPerson || words.length < 2) return null
    if (parts !== null) return `${parts[1].trim().charAt(0)} ${parts[0]}`
    return [words[0].charAt(0), ...words.slice(1)].join(' ')
  },
}
