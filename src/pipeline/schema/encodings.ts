/** Which encodings an input may be named in: those the runtime's TextDecoder can decode. */

/** The decoder's own name for an encoding, null when it knows none such. */
export function canonicalEncoding(name: string): string | null {
  try {
    const { encoding } = new TextDecoder(name)
    return encoding === 'x-user-defined' ? null : encoding
  } catch {
    return null
  }
}

/** True for a name the TextDecoder knows. */
export const isKnownEncoding = (name: string): boolean => canonicalEncoding(name) !== null
