/** Credentials in a pipeline file: refused as literals, and kept apart from the pipeline when they come from the environment. */

import { mapScalars, nodeAt, type Path, type Tree } from './tree.ts'

/** Credentials a pipeline refers to; null for one it does not. They never become part of a Pipeline or a Plan. */
export interface Secrets {
  readonly username: string | null
  readonly password: string | null
  /** Of each receiver of `notify`, in its order. */
  readonly notify: readonly { readonly to: string; readonly secret: string | null }[]
}

export const NO_SECRETS: Secrets = { username: null, password: null, notify: [] }

/** One reference to the environment and nothing else: a default would be a password in the file, `--var` one in the argv. */
const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*(:\?[^}$]*)?\}$/

/** A webhook may be empty, which switches it off. */
const ADDRESS_REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*(:\?[^}$]*|:-)?\}$/

/** An address without a password between the user and the host. */
const NO_PASSWORD = /^(?!.*:\/\/[^/@]*:[^/@]*@)/s

const textAt = (tree: Tree, path: Path): string | null => {
  const node = nodeAt(tree, path)
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : null
}

const receiversIn = (tree: Tree): number[] => {
  const node = nodeAt(tree, ['notify'])
  return node?.kind === 'list' ? [...node.items.keys()] : []
}

/** The forms of messages, and whether the address of their receiver is its password. */
export const NOTIFY_FORMS = { slack: true, teams: true, cloudevents: false } as const

const isWebhook = (tree: Tree, index: number): boolean =>
  Object.entries(NOTIFY_FORMS).some(([form, isSecret]) => isSecret && form === textAt(tree, ['notify', index, 'as']))

const placesIn = (tree: Tree): { readonly path: Path; readonly what: string; readonly form: RegExp }[] => [
  { path: ['service', 'password'], what: 'a password', form: REFERENCE },
  ...['input', 'output'].map(key => ({ path: [key, 'url'], what: 'a password', form: NO_PASSWORD })),
  ...receiversIn(tree).flatMap(index => [
    { path: ['notify', index, 'secret'], what: 'a secret', form: REFERENCE },
    ...(isWebhook(tree, index)
      ? [{ path: ['notify', index, 'to'], what: 'the address of a webhook', form: ADDRESS_REFERENCE }]
      : []),
  ]),
]

/** Removes literal secrets from the tree and reports them without repeating them. */
export function refuseLiteralSecrets(tree: Tree) {
  const refused = placesIn(tree).flatMap(place => {
    const node = nodeAt(tree, place.path)
    const isReference = node?.kind === 'scalar' && typeof node.value === 'string' && place.form.test(node.value)
    return node?.kind !== 'scalar' || isReference ? [] : [{ ...place, node }]
  })
  if (refused.length === 0) return { tree, findings: [] }
  const changed = mapScalars(tree, scalar =>
    refused.some(({ node }) => node === scalar) ? { ...scalar, value: '', source: '', state: 'broken' } : scalar,
  )
  const findings = refused.map(({ path, what }) => ({
    code: 'FETTLE_PIPELINE_SECRET' as const,
    message: `${path.join('.')}: ${what} must not stand in the file: expected \${NAME} and nothing else`,
    path,
    hint: path[0] === 'notify' ? `Set a variable, and write ${String(path.at(-1))}: \${NAME}.` : undefined,
  }))
  return { tree: changed, findings }
}

export const readSecrets = (tree: Tree): Secrets => ({
  username: textAt(tree, ['service', 'username']),
  password: textAt(tree, ['service', 'password']),
  notify: receiversIn(tree).map(index => ({
    to: textAt(tree, ['notify', index, 'to']) ?? '',
    secret: textAt(tree, ['notify', index, 'secret']),
  })),
})
