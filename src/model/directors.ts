/** Reads the directors of a company from the tags of an answer. */

/** Their names, and their dates of birth in the same order. */
export const DIRECTOR_TAGS = ['directors.fullName', 'directors.birthDate'] as const

export interface Director {
  readonly person: string
  /** `YYYY` or `YYYY-MM-DD`; '' where it is not known. */
  readonly born: string
}

/** A company as a director. Short forms that are surnames as well (AS, SA, AB) count with points only: `S.A.`. */
const COMPANY =
  /[\s,.](?:limited|ltd|plc|llc|llp|lp|inc|incorporated|corp|corporation|gmbh|ag|kg|bv|b\.v|nv|n\.v|s\.a|a\.s|s\.a\.s|sarl|s\.a\.r\.l|srl|s\.r\.l|s\.p\.a|oy|oyj|aps|a\/s|pte|pty|trustees|holdings?)\.?$/i

/** Whether a director is a company, which is searched for as a business. */
export const isCompanyName = (name: string): boolean => COMPANY.test(name.trim())

const NOT_A_NAME = /^(?:null|none|nan|undefined|#?n\/a|[-\u2010-\u2015?.]+)?$/i

function readBirth(text: string): string {
  const [, year = '', rest = ''] = /^((?:18|19|20)\d\d)(-\d\d-\d\d)?(?!\d)/.exec(text.trim()) ?? []
  const day = `${year}${rest}`
  return rest !== '' && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true ? day : year
}

const splitValues = (text: string): string[] => text.split(/[|;\r\n]/).map(value => value.trim().replace(/\s+/g, ' '))

/** Of the same name and date of birth: one person, whom one search finds. */
export const directorKey = ({ person, born }: Director): string => JSON.stringify([person.toLowerCase(), born])

/** Each director once. Dates of birth count where there is one for each name. */
export function readDirectors(names: string, births: string): Director[] {
  const dates = splitValues(births)
  const all = splitValues(names)
  const found = new Map<string, Director>()
  for (const [at, person] of all.entries()) {
    if (NOT_A_NAME.test(person)) continue
    const director = { person, born: dates.length === all.length ? readBirth(dates[at] ?? '') : '' }
    found.set(directorKey(director), director)
  }
  return [...found.values()]
}
