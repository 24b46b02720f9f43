/** Text as windows-1252 bytes. Letters the code page lacks lose their accents, as an old system would store them. */
import { fold } from './company.mjs'

const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

function byte(character) {
  const code = character.codePointAt(0)
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code
  return upper.includes(character) ? 0x80 + upper.indexOf(character) : undefined
}

/** Encodes `text`; throws on a character that has no byte even without its accents. */
export function encodeWindows1252(text) {
  const bytes = [...text].flatMap(character => {
    const codes = byte(character) === undefined ? [...fold(character)].map(byte) : [byte(character)]
    if (codes.includes(undefined)) throw new Error(`windows-1252 has no byte for ${JSON.stringify(character)}`)
    return codes
  })
  return Buffer.from(bytes)
}
