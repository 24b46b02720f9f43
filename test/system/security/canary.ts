/**
 * Marked secrets, and a search for every form a secret may take in a log, a file or a message. A truncated secret is found
 * too, because all share a mark that no text encoding changes.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Part of every canary: letters and digits only, so that JSON, URLs, HTML and XML leave it as it is. */
export const MARK = 'ZqCanary7Xw'

/** One canary for each kind of secret, with characters that encodings change. */
export const CANARY = {
  username: 'tester',
  password: `${MARK} pä"ss/w+rd&?`,
  token: `${MARK}.tok+en/0=`,
  signature: `${MARK}/sig+nature=`,
  /** Something of the environment that is none of fettle's business. */
  foreign: `${MARK}-cloud-key`,
} as const

/**
 * The letters of a base64 text that depend on nothing but `text`, for each of the three places where it may begin within a
 * larger one.
 */
function base64Cores(text: string): string[] {
  return [0, 1, 2].map(shift => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)])
    const whole = bytes.length - (bytes.length % 3)
    const encoded = bytes.subarray(0, whole).toString('base64')
    return encoded.slice(shift === 0 ? 0 : 4)
  })
}

const FORMS: ReadonlyMap<string, string> = new Map([
  ['plain', MARK],
  ...base64Cores(MARK).map((core, shift) => [`base64 at ${shift}`, core] as const),
  ['hex', Buffer.from(MARK).toString('hex')],
  ['capital hex', Buffer.from(MARK).toString('hex').toUpperCase()],
  ['UTF-16', Buffer.from(MARK, 'utf16le').toString('latin1')],
  ['percent-encoded throughout', [...Buffer.from(MARK)].map(byte => `%${byte.toString(16)}`).join('')],
])

/** What no output may hold, marked or not: a token in its header, a JWT, a signed query. */
const SHAPES: ReadonlyMap<string, RegExp> = new Map([
  ['a bearer token', /Bearer [A-Za-z0-9._~+/-]{8}/],
  ['a JWT', /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/],
  ['a signed query', /[?&](?:sig|signature|X-Amz-Signature|token)=(?!\*)[\w%]/i],
])

/** The forms in which a secret stands in `text`; `where` begins each line. Empty when there is none. */
export function canariesIn(text: string | Buffer, where: string): string[] {
  const plain = typeof text === 'string' ? Buffer.from(text).toString('latin1') : text.toString('latin1')
  const forms = [...FORMS].filter(([, form]) => plain.includes(form)).map(([name]) => name)
  const shapes = [...SHAPES].filter(([, shape]) => shape.test(plain)).map(([name]) => name)
  return [...forms, ...shapes].map(name => `${where}: ${name}`)
}

// Node's own recursive reading follows links, out of the folder and into whole trees of packages.
const namesBelow = (folder: string, at = ''): string[] =>
  readdirSync(join(folder, at), { withFileTypes: true }).flatMap(entry => {
    const name = join(at, entry.name)
    return entry.isDirectory() ? [name, ...namesBelow(folder, name)] : [name]
  })

/** The same for every file below `folder`, its name and its content; `except` fits the names of files that hold a secret by right. */
export function canariesBelow(folder: string, except: RegExp = /^$/): { readonly hits: string[]; readonly files: number } {
  const hits: string[] = []
  let files = 0
  for (const name of namesBelow(folder)) {
    const path = join(folder, name)
    const facts = lstatSync(path, { throwIfNoEntry: false })
    hits.push(...canariesIn(name, `the name ${name}`))
    if (facts?.isSymbolicLink()) hits.push(...canariesIn(readlinkSync(path), name))
    if (!facts?.isFile() || except.test(name)) continue
    files++
    hits.push(...canariesIn(readFileSync(path), name))
  }
  return { hits, files }
}
