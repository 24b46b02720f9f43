/**
 * Removes the suffixes that exchanges, brokers and filing systems append to a name: `DL-,0025`, `O.N.`, `ADR`, `Common Stock`,
 * `/MD/`.
 */

const END = '[\\s.)]*$'

/** Suffixes by themselves. Each is anchored at the end and applied to the last characters only, so it stays linear. */
const STRONG: readonly RegExp[] = [
  // par value: currency letters before a figure, `EO 1`, `DL-,001`, `RP100`
  new RegExp(
    `[\\s.,-](?:DL|EO|LS|HD|YC|YN|SF|SK|NK|DK|CD|AD|RP|ZY|BA|KC|UH|SD|ND|RC|TB|SG|IR|LT|RB|RS|PP|UF|TN|TA|PS|PT|MX|AP|TL)\\s{0,2}-?\\s{0,2}[,.]?\\d[\\d.,/]*${END}`,
    'i',
  ),
  new RegExp(`[\\s.]O\\.\\s?N${END}`, 'i'),
  new RegExp(
    `[\\s-](?:common (?:stock|shares)|ordinary shares|(?:american )?depositary (?:shares|receipts)|registered shares|ord(?:\\.|inary)? sh?s?|ord|drn|cdi|npv|regs|reg s)${END}`,
    'i',
  ),
  new RegExp(`[\\s.](?:sp\\.? ?|u|uns\\.?)?(?:adr|ads|gdr|adrs|gdrs)(?:\\s?/?\\s?[\\d,.]+)?${END}`, 'i'),
  new RegExp(`\\s(?:class|cl\\.?) ?[a-h]${END}`, 'i'),
  new RegExp(`[\\s.]cert\\.? of shs${END}`, 'i'),
  new RegExp(`\\s\\(new${END}`, 'i'),
  // the filer's state or country: `/MD/`, `\\UK`, `/Cayman Islands/`
  /\s{0,3}[/\\][a-z][a-z. ]{1,18}[/\\]?\s{0,3}$/i,
]

/** Suffixes only before a strong one: `NA O.N.`, `INH. EO 1`, `H YC 1`, `CL.A DL-001`. */
const WEAK = new RegExp(
  `[\\s.](?:na|nam|nom|inh|act\\.?nom|act\\.?nouv|vz|vzo|st|sp|pfd|pref|regs?|reg\\.? ?s|cva|gdr|new|cons|cl\\.? ?[a-c])${END}|\\s[a-h]-?${END}`,
  'i',
)

export function withoutMarketSuffix(name: string): string {
  let rest = name
  let found = false
  for (let round = 0; round < 4; round++) {
    const start = Math.max(0, rest.length - 40)
    const end = rest.slice(start)
    const tail = STRONG.map(pattern => end.search(pattern)).find(at => at >= 0) ?? (found ? end.search(WEAK) : -1)
    if (tail < 0 || start + tail < 2) return rest
    rest = rest.slice(0, start + tail)
    found = true
  }
  return rest
}
