/** Text in the letters of Western Europe, for paper that has no others. Knows nothing of companies. */
import anyAscii from 'any-ascii'

/** The text with every character that Latin-1 lacks written in plain letters; control characters become spaces. */
export const toLatin = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .replace(/[^\u0000-\u00ff]/gu, character => anyAscii(character))
