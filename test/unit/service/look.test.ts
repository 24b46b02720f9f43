/** From an id to an object leads one way: no route reads a store by an id, or gives it an id that a request named. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, expectTypeOf, test } from 'vitest'
import type { Context } from '../../../src/service/context.ts'

const SERVICE = new URL('../../../src/service/', import.meta.url)
/** What answers requests: it takes the service's context, or makes routes. */
const IS_ROUTE = /from '[./]+(?:context|(?:http\/)?route)\.ts'/
const STORES = ['jobs', 'searches', 'portfolios', 'holdings', 'events', 'imports']
/** What reads an object by its id. */
const READS = ['find', 'read', 'hit', 'isVisible', 'known', 'watched']

/** What is wrong in a source: a read by id, or a first argument that is what the request said. */
function faultsOf(name: string, text: string): string[] {
  const faults: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const method = node.expression.name.text
      const store = node.expression.expression.getText().split('.').at(-1) ?? ''
      const first = node.arguments[0]?.getText() ?? ''
      if (STORES.includes(store) && READS.includes(method)) faults.push(`${name}: ${store}.${method}`)
      // A list takes its filter as an object, which names the user.
      const isFilter = first.startsWith('{')
      const isAsked = !isFilter && /\b(?:params|body|query|Number|String)\b|\bcall\.id\b/.test(first) && !first.includes('look.')
      if (STORES.includes(store) && isAsked) faults.push(`${name}: ${store}.${method}(${first})`)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true))
  return faults
}

test('no route reads a store by an id but through object-access.ts', () => {
  const files = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
  const sources = files.map(file => [file, readFileSync(new URL(file, SERVICE), 'utf8')] as const)
  const routes = sources.filter(([, text]) => IS_ROUTE.test(text))
  expect(routes.length).toBeGreaterThan(15)
  expect(routes.flatMap(([file, text]) => faultsOf(file, text))).toEqual([])
})

test('the rule notices what it is against', () => {
  const bad = ['jobs.find(user.id, id)', 'context.jobs.read(id)', 'monitoring.portfolios.remove(Number(params.portfolioId))']
  for (const text of [...bad, 'holdings.clear(call.body.id)', 'searches.hit(search, id)']) {
    expect(faultsOf('a.ts', text), text).toHaveLength(1)
  }
  expect(faultsOf('a.ts', 'portfolios.remove(look.portfolio(user, params.portfolioId).id)')).toEqual([])
})

test('the stores of the context have no such read', () => {
  expectTypeOf<Extract<keyof Context['jobs'], 'find' | 'read'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof Context['searches'], 'find' | 'hit'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof Context['monitoring']['portfolios'], 'find'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof Context['monitoring']['holdings'], 'find' | 'isVisible'>>().toEqualTypeOf<never>()
  const look = readFileSync(new URL('context.ts', SERVICE), 'utf8')
  expect(look).toContain("Omit<JobStore, 'find' | 'read'>")
})
