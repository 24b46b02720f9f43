/**
 * Reads the consonants of a name, by which it is found in another script: Arabic has no short vowels, and transliterations differ in them
 * (`محمد`, Mohammed, Мухаммад).
 */
import { isNative, splitWords } from '../../normalise/text.ts'

/** Arabic has letters for consonants alone, and و and ي for long vowels too. */
export type SoundScript = 'arabic' | 'other'

/** Scripts of syllables: their transliteration has few letters, and an error in it is another name. */
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const ARABIC = /\p{Script=Arabic}/u

export const isSyllabic = (text: string): boolean => isNative(text) && SYLLABLES.test(text)

/** The script whose names are found by their consonants; null for Latin letters and for syllables. */
export const findSoundScript = (text: string): SoundScript | null =>
  !isNative(text) || SYLLABLES.test(text) ? null : ARABIC.test(text) ? 'arabic' : 'other'

/** Letters that are written for one sound, in their order. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/dzh|dj|zh/g, 'j'],
  [/ph/g, 'f'],
  [/kh/g, 'h'],
  [/(?<=[bdgjt])h/g, ''],
  [/ck|[cq]/g, 'k'],
  [/x/g, 'ks'],
]

/** An article, also in the forms before some consonants: `ar-Rahman`. */
const ARTICLE = /^(?:[aeu][dlnrstz]|[au]sh)$/
/** The article that is joined to a word, and to the first word of `عبدالله`. */
const JOINED_ARTICLE = /(?<=(?<!\p{L})عبد\s?)ال(?=\p{L}{2})|(?<!\p{L})ال(?=\p{L}{3})/gu
/** Words that Latin letters join: `Abdulrahman`, `Hamdullah`, `Saduddin`. */
const JOINED_NAME = /(?<=^abd)[aeu][dlnrstz](?=...|$)|(?<=...)(?:[aeou]l?(?=l[ae]h?$)|[aeou][dl]?(?=d[ie]+ne?$))/
/** Two letters are not one sound: `طه` is not th. */
const BETWEEN_LETTERS = /(?<=\p{Script=Arabic})(?=\p{Script=Arabic})/gu

function readConsonants(word: string, script: SoundScript): string {
  const spelt = SPELLINGS.reduce((text, [letters, sound]) => text.replace(letters, sound), word)
  const sounds = script === 'arabic' ? spelt.replace(/(?<=.)w/g, '').replace(/z/g, 'd') : spelt.replace(/w/g, 'v')
  return sounds.replace(/[aeiouy]+|(?<=.)h$/g, '').replace(/(.)\1+/g, '$1')
}

/** Fewer consonants have too many names. */
const FEWEST = 5

/** The consonants of the words, in alphabetical order; null for too few. */
export function readSounds(text: string, script: SoundScript): string | null {
  const parted = script === 'arabic' ? text.replace(JOINED_ARTICLE, ' ').replace(BETWEEN_LETTERS, 'a') : text
  const words = splitWords(parted)
    .filter(word => !ARTICLE.test(word))
    .flatMap(word => (script === 'arabic' ? word.split(JOINED_NAME) : [word]))
    .map(word => readConsonants(word, script))
    .filter(word => word !== '')
  return words.length < 2 || words.join('').length < FEWEST ? null : words.sort().join(' ')
}
