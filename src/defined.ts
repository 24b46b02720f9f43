/** Objects without undefined values, for what iterates over keys: headers, options of a package, JSON schemas. */

/** The object without the keys whose value is undefined. */
export const defined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T
