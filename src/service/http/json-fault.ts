/** Finds where a text stops being JSON: RFC 8259, and a bound on nesting. It keeps no value; JSON.parse does the reading. */

const SPACE = /[ \t\n\r]*/y
const PLAIN = /[^"\\\u0000-\u001f]+/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y

/** A place where a text breaks the rules: characters before it, and which rule. */
export interface JsonFault {
  readonly position: number
  readonly kind: 'syntax' | 'end' | 'depth'
}

/** The first fault of a text; null when it is JSON nested at most `maxDepth` levels. */
export function findJsonFault(text: string, maxDepth: number): JsonFault | null {
  let at = 0
  // What may come next: a value, a value or `]`, a key, a key or `}`, `,` or the end of what is open.
  let next: 'value' | 'item' | 'key' | 'member' | 'after' = 'value'
  const open: ('{' | '[')[] = []

  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(text) ?? []
    at += found.length
    return found !== ''
  }
  const string = (): boolean => {
    if (text[at] !== '"') return false
    at += 1
    // One alternation repeated over a long text would exhaust the pattern engine.
    while (take(PLAIN) || take(ESCAPE));
    if (text[at] !== '"') return false
    at += 1
    return true
  }
  const fault = (): JsonFault => ({ position: at, kind: at >= text.length ? 'end' : 'syntax' })

  for (;;) {
    take(SPACE)
    const character = text[at]
    if (next === 'after') {
      const inside = open.at(-1)
      if (inside === undefined) return at < text.length ? fault() : null
      if (character === ',') next = inside === '{' ? 'key' : 'value'
      else if (character === (inside === '{' ? '}' : ']')) open.pop()
      else return fault()
      at += 1
    } else if (next === 'key' || next === 'member') {
      if (next === 'member' && character === '}') {
        open.pop()
        at += 1
        next = 'after'
        continue
      }
      if (!string()) return fault()
      take(SPACE)
      if (text[at] !== ':') return fault()
      at += 1
      next = 'value'
    } else if (next === 'item' && character === ']') {
      open.pop()
      at += 1
      next = 'after'
    } else if (character === '{' || character === '[') {
      open.push(character)
      if (open.length > maxDepth) return { position: at, kind: 'depth' }
      at += 1
      next = character === '{' ? 'member' : 'item'
    } else if (string() || take(NUMBER) || take(WORD)) next = 'after'
    else return fault()
  }
}
