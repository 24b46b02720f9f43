/** Routes reach an object by its id only through ObjectAccess, which checks the owner. */
import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, expectTypeOf, test } from 'vitest'
import type { AppDeps } from '../../../src/service/deps.ts'

const SERVICE = new URL('../../../src/service/', import.meta.url)
/** Files that register routes. */
const IS_ROUTE = /import .*FastifyInstance.* from 'fastify'/
const STORES = ['jobs', 'searches', 'portfolios', 'holdings', 'events', 'imports', 'decisions', 'schedules']
/** Methods that read an object by its id. */
const READS = ['find', 'read', 'hit', 'isVisible', 'known', 'watched', 'findTree']

/** Faults of a source: a read by id, or a first argument that comes from the request. */
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
      const isRequested =
        !isFilter && /\b(?:params|body|query|Number|String)\b|\bcall\.id\b/.test(first) && !first.includes('objects.')
      if (STORES.includes(store) && isRequested) faults.push(`${name}: ${store}.${method}(${first})`)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true))
  return faults
}

test('routes read objects by id only through ObjectAccess', () => {
  const files = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'))
  const sources = files.map(file => [file, readFileSync(new URL(file, SERVICE), 'utf8')] as const)
  const routes = sources.filter(([, text]) => IS_ROUTE.test(text))
  expect(routes.length).toBeGreaterThan(15)
  expect(routes.flatMap(([file, text]) => faultsOf(file, text))).toEqual([])
})

test('the rule reports reads by id and ids of the request', () => {
  const bad = ['jobs.find(user.id, id)', 'context.jobs.read(id)', 'monitoring.portfolios.remove(Number(params.portfolioId))']
  for (const text of [...bad, 'holdings.clear(call.body.id)', 'searches.hit(search, id)']) {
    expect(faultsOf('a.ts', text), text).toHaveLength(1)
  }
  expect(faultsOf('a.ts', 'portfolios.remove(objects.portfolio(user, params.portfolioId).id)')).toEqual([])
})

test('the stores that the routes receive have no read by id', () => {
  expectTypeOf<Extract<keyof AppDeps['jobs'], 'find' | 'read'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof AppDeps['searches'], 'find' | 'hit'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof AppDeps['schedules'], 'find'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof AppDeps['portfolios'], 'find'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof AppDeps['decisions'], 'find' | 'findTree'>>().toEqualTypeOf<never>()
  expectTypeOf<Extract<keyof AppDeps['holdings'], 'find' | 'isVisible' | 'known' | 'watched'>>().toEqualTypeOf<never>()
})
