/** The names of text encodings that an input may have. */

/**
 * The canonical name of an encoding (`latin1` is `windows-1252`), null for one that is unknown. `x-user-defined` is rejected where
 * the platform has it: it maps bytes to private-use characters, which no list of companies holds.
 */
export function canonicalEncoding(name: string): string | null {
  try {
    const { encoding } = new TextDecoder(name)
    return encoding === 'x-user-defined' ? null : encoding
  } catch {
    return null
  }
}
