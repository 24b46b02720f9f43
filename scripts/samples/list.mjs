/** Reads the samples' word lists. It knows one rule: `|` parts entries, and line ends around it do not count. */

/** Returns the trimmed entries of a `|`-separated list. */
export const list = text => text.split('|').map(entry => entry.trim())
