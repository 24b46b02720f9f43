/** The line of a street and its house number, in the order of the country. */

/** Countries that write the number before the street. */
const NUMBER_FIRST: ReadonlySet<string> = new Set(['AU', 'CA', 'FR', 'GB', 'IE', 'LU', 'NZ', 'US'])

/** `12 High Street` in GB, `Odensevej 19` in DK; a part that is empty is left out. */
export function streetLine(street: string, houseNumber: string, country: string): string {
  const parts = NUMBER_FIRST.has(country) ? [houseNumber, street] : [street, houseNumber]
  return parts.filter(part => part !== '').join(' ')
}
