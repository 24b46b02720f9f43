/** Generates the changes that a user with access to Redis could make: each field in turn with every hostile value. */

type Steps = readonly (string | number)[]

/** A change to a value, and its name in a failed test. */
export interface Mutant {
  readonly name: string
  /** The changed value, as JSON: some of it no object literal can hold. */
  readonly json: string
}

/** Values that belong nowhere, with an address and a folder that must not be reached. */
export const hostile = (evil: string, outside: string): readonly string[] => [
  ...['null', 'true', '0', '-1', '0.5', '1e308', '9007199254740993', '""', '"x"', '[]', '{}', '[null]', '[[]]', '"__proto__"'],
  ...[
    `${outside}/pwn`,
    `../../../../../../..${outside}/pwn`,
    '/etc/passwd',
    `${evil}/v1`,
    `${evil}/rows.csv`,
    's3://bucket/key',
  ].map(one => JSON.stringify(one)),
  ...['\u001b[2J\u001b]0;x\u0007', 'a\nb', '::error::x', '..', 'NaN', '20260101T000000Z-p-000000', '2026-01-01'].map(one =>
    JSON.stringify(one),
  ),
  '{"__proto__":{"polluted":true}}',
  '{"toString":null,"length":1e9}',
  JSON.stringify('x'.repeat(200_000)),
  '['.repeat(5_000) + ']'.repeat(5_000),
]

/** Every path in a value: objects and arrays (the first three items of each) and the values in them. */
function placesOf(value: unknown, at: Steps = []): Steps[] {
  if (typeof value !== 'object' || value === null) return [at]
  const keys: Steps = Array.isArray(value) ? [...value.keys()].slice(0, 3) : Object.keys(value)
  return [at, ...keys.flatMap(key => placesOf((value as Record<string | number, unknown>)[key], [...at, key]))]
}

const MARK = '@here@'

/** The value with `json` at a place, or without the place where that is null. */
function changed(value: unknown, at: Steps, json: string | null): string {
  if (at.length === 0) return json ?? 'null'
  const copy = structuredClone(value) as Record<string | number, unknown>
  const [last, ...way] = [...at].reverse()
  const parent = way.reverse().reduce((one, key) => one[key] as typeof copy, copy)
  if (json === null) {
    if (Array.isArray(parent)) parent.splice(Number(last), 1)
    else delete parent[last!]
    return JSON.stringify(copy)
  }
  parent[last!] = MARK
  return JSON.stringify(copy).replace(JSON.stringify(MARK), () => json)
}

/** Each place of a value by each of `values`, left out, and with a key beside it that does not belong there. */
export function mutantsOf(value: unknown, values: readonly string[]): Mutant[] {
  return placesOf(value).flatMap(at => {
    const name = at.join('.') || '(whole)'
    const there = at.reduce<unknown>((one, key) => (one as Record<string | number, unknown>)[key], value)
    const isMap = typeof there === 'object' && there !== null && !Array.isArray(there)
    const beside = (key: string) =>
      `${JSON.stringify(there).slice(0, -1)}${Object.keys(there as object).length === 0 ? '' : ','}"${key}":{"polluted":true}}`
    return [
      { name: `${name} left out`, json: changed(value, at, null) },
      ...values.map(one => ({ name: `${name} = ${one.slice(0, 60)}`, json: changed(value, at, one) })),
      ...(isMap
        ? ['__proto__', 'constructor', 'another'].map(key => ({
            name: `${name} and ${key}`,
            json: changed(value, at, beside(key)),
          }))
        : []),
    ]
  })
}

/** Every `each`th of a list, from a place that the seed gives. */
export const sample = <T>(all: readonly T[], each: number, seed: number): T[] => all.filter((_, at) => (at + seed) % each === 0)
