/** Credentials in a pipeline file: refused as literals, and kept apart from the pipeline when they come from the environment. */

import { mapScalars, nodeAt, type SyntaxIssue, type Tree } from '../source/tree.ts'

/** Credentials a pipeline refers to; null for one it does not. They never become part of a Pipeline or a Plan. */
export interface Secrets {
  readonly username: string | null
  readonly password: string | null
}

/** One reference to the environment and nothing else: a default would be a password in the file, `--var` one in the argv. */
const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*(:\?[^}$]*)?\}$/

/** Removes a literal password from the tree and reports it without repeating it. */
export function refuseLiteralSecrets(tree: Tree): { readonly tree: Tree; readonly findings: readonly SyntaxIssue[] } {
  const path = ['service', 'password']
  const node = nodeAt(tree, path)
  if (node?.kind !== 'scalar' || (typeof node.value === 'string' && REFERENCE.test(node.value))) return { tree, findings: [] }
  const message = 'service.password: a password must not stand in the file: expected ${NAME} and nothing else'
  const changed = mapScalars(tree, scalar => (scalar === node ? { ...scalar, value: '', source: '', state: 'broken' } : scalar))
  return { tree: changed, findings: [{ code: 'FETTLE_PIPELINE_SECRET', message, path }] }
}

export function secretsOf(tree: Tree): Secrets {
  const textAt = (key: keyof Secrets): string | null => {
    const node = nodeAt(tree, ['service', key])
    return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : null
  }
  return { username: textAt('username'), password: textAt('password') }
}
