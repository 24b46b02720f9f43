/** Splits headers into plain words, regardless of case, accents, punctuation and programming style. */

const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  '#': ' no ',
  '№': ' no ',
  ς: 'σ',
}

/** The text in small letters without accents; `Straße` is `strasse`, `N°` is `n`. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı#№ς]/g, letter => PLAIN[letter]!)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The words of a header: `CompanyName`, `company_name` and `VATNumber1` are parted where a reader would. */
export function wordsOf(header: string): string[] {
  const parted = header
    .slice(0, 200)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/(\p{L})(\d)/gu, '$1 $2')
  return fold(parted)
    .split(' ')
    .filter(word => word !== '')
}
