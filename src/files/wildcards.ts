/** Matches names with `*`, `?`, `[a-z]`, `[!a]` and `{a,b}` in linear time for each star: a pattern may come from another machine. */

type One = (char: string) => boolean
type Token = One | '*'

/** Whether a name matches one step of a path; a leading dot must be written. */
export function nameMatcher(step: string): (name: string) => boolean {
  const patterns = alternatives(step).map(text => ({ isHidden: text.startsWith('.'), tokens: tokensOf(text) }))
  return name => {
    const chars = [...name]
    return patterns.some(({ isHidden, tokens }) => (isHidden || chars[0] !== '.') && matchesTokens(tokens, chars))
  }
}

/** Whether a path matches, step by step; `**` means any visible folders, also none. */
export function matchesSteps(pattern: readonly string[], path: readonly string[]): boolean {
  // Which of the first steps of the path the pattern so far matches.
  let reached = [true, ...path.map(() => false)]
  for (const step of pattern) {
    const isLike = step === '**' ? (name: string) => !name.startsWith('.') && name !== '' : nameMatcher(step)
    const next = reached.map(() => false)
    if (step === '**') next[0] = reached[0]!
    for (const [at, name] of path.entries()) {
      if (step === '**') next[at + 1] = reached[at + 1]! || (next[at]! && isLike(name))
      else next[at + 1] = reached[at]! && isLike(name)
    }
    reached = next
  }
  return reached.at(-1)!
}

/** `a{b,c}d` -> `abd`, `acd`; at most a thousand. */
function alternatives(step: string): string[] {
  let found = ['']
  for (let at = 0; at < step.length; at++) {
    const end = step[at] === '{' ? step.indexOf('}', at) : -1
    const choices = end < 0 ? [step[at]!] : step.slice(at + 1, end).split(',')
    if (found.length * choices.length > 1000) return []
    found = found.flatMap(one => choices.map(choice => one + choice))
    if (end >= 0) at = end
  }
  return found
}

function tokensOf(text: string): Token[] {
  const chars = [...text]
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!
    const end = char === '[' ? chars.indexOf(']', at + 2) : -1
    if (char === '*') tokens.push('*')
    else if (char === '?') tokens.push(() => true)
    else if (end >= 0) {
      tokens.push(setOf(chars.slice(at + 1, end)))
      at = end
    } else tokens.push(one => one === char)
  }
  return tokens
}

/** The characters between brackets: single ones and ranges, `!` first for all others. */
function setOf(chars: readonly string[]): One {
  const isOther = chars[0] === '!'
  const own = isOther ? chars.slice(1) : chars
  const ranges = own.flatMap((from, at) => {
    if (from === '-' && at > 0 && at < own.length - 1) return []
    const isRange = own[at + 1] === '-' && at + 2 < own.length
    return [[from, isRange ? own[at + 2]! : from] as const]
  })
  return char => ranges.some(([from, to]) => from <= char && char <= to) !== isOther
}

/** After a mismatch the last star takes one more character. */
function matchesTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let [token, char, star, from] = [0, 0, -1, 0]
  while (char < chars.length) {
    const one = tokens[token]
    if (one === '*') {
      star = token++
      from = char
    } else if (one?.(chars[char]!)) {
      token++
      char++
    } else if (star >= 0) {
      token = star + 1
      char = ++from
    } else return false
  }
  return tokens.slice(token).every(one => one === '*')
}
