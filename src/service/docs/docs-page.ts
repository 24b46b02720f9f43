/**
 * `GET /v1/openapi.json` and `GET /docs`: the interface for programs and for people, the latter as one HTML page without scripts or further
 * requests; neither needs a token, since both are published anyway. Operations that need a separate subscription answer 403 before a body is
 * read, the retired product 301 (contract §2.1, §10, §11.3 to §11.7, §14.2).
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { OTHER_GROUPS, RETIRED } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { findUser, pathPattern, type RouteDeps, routePath } from '../http/route.ts'
import { Refusal } from '../refusal.ts'
import { openApi } from './openapi.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const asHtml = (text: string): string => text.replace(/[&<>"']/g, char => ENTITIES[char] ?? '')

type Content = Readonly<Record<string, { readonly schema: object }>>

type DescribedResponse = { readonly description: string; readonly content?: Content }
type DescribedParameter = { readonly name: string; readonly in: string; readonly required: boolean; readonly schema: object }

interface DescribedOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly parameters: readonly DescribedParameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, DescribedResponse | { readonly $ref: string }>>
  readonly security?: readonly unknown[]
}

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const schemaText = (schema: object): string =>
  asHtml(JSON.stringify(schema, null, 2)).replace(
    /&quot;#\/components\/schemas\/(\w+)&quot;/g,
    (_, name: string) => `<a href="#schema-${slug(name)}">${name}</a>`,
  )

const contentText = (content: Content = {}): string =>
  Object.entries(content)
    .map(([type, { schema }]) => `<p>${asHtml(type)}</p><pre>${schemaText(schema)}</pre>`)
    .join('')

type SharedResponses = Readonly<Record<string, DescribedResponse>>

function operationText(method: string, path: string, operation: DescribedOperation, shared: SharedResponses): string {
  const parameters = operation.parameters.map(
    ({ name, in: place, required, schema }) =>
      `<tr><td><code>${asHtml(name)}</code>${required ? ' *' : ''}<td>${place}<td><code>${asHtml(JSON.stringify(schema))}</code>`,
  )
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const found = '$ref' in response ? shared[response.$ref.split('/').at(-1) ?? ''] : response
    return `<dt>${status} <span>${asHtml(found?.description ?? '')}</span><dd>${contentText(found?.content)}`
  })
  return `<details id="${slug(operation.operationId)}"><summary><b class="${method}">${method.toUpperCase()}</b> <code>${asHtml(path)}</code> <span>${asHtml(operation.summary)}</span></summary>
${operation.security === undefined ? '' : '<p>Needs no token.</p>'}
${parameters.length === 0 ? '' : `<table><tr><th>parameter<th>in<th>form${parameters.join('')}</table>`}
${operation.requestBody === undefined ? '' : `<h4>Request</h4>${contentText(operation.requestBody.content)}`}
<h4>Answers</h4><dl>${responses.join('')}</dl></details>`
}

const STYLE = `:root{color-scheme:light dark;--line:#8884;--soft:#8882}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
summary{padding:.4rem;cursor:pointer}summary span,dt span{opacity:.75}details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:0 .6rem}
b{display:inline-block;min-width:4.5em}pre{background:var(--soft);padding:.6rem;overflow:auto;border-radius:6px}table{border-collapse:collapse}
td,th{border-bottom:1px solid var(--line);padding:.2rem .8rem .2rem 0;text-align:left}code,a{overflow-wrap:anywhere}nav{display:flex;flex-wrap:wrap;gap:0 1rem}td:last-child{width:100%}`

export function docsPage(api: Readonly<Record<string, unknown>>): string {
  const { info, servers, paths, components } = api as {
    info: { title: string; version: string; description: string }
    servers: readonly { url: string }[]
    paths: Record<string, Record<string, DescribedOperation>>
    components: { schemas: Record<string, object>; responses: Record<string, DescribedResponse> }
  }
  const areas = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const area = operation.tags[0] ?? ''
      areas.set(area, [...(areas.get(area) ?? []), operationText(method, path, operation, components.responses)])
    }
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${slug(name)}"><summary><code>${name}</code></summary><pre>${schemaText(schema)}</pre></details>`,
  )
  const parts = [...areas].map(([area, texts]) => `<h2 id="${slug(area)}">${asHtml(area)}</h2>${texts.join('\n')}`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${asHtml(info.title)} interface</title><style>${STYLE}</style>
<h1>${asHtml(info.title)} ${asHtml(info.version)}</h1><p>${asHtml(info.description)}</p>
<p>Base address <code>${asHtml(servers[0]?.url ?? '')}</code>. Log in with <a href="#authenticate">POST /authenticate</a>, then send <code>Authorization: Bearer TOKEN</code>. For programs: <a href="v1/openapi.json">openapi.json</a>.</p>
<nav>${[...areas.keys()].map(area => `<a href="#${slug(area)}">${asHtml(area)}</a>`).join('')}<a href="#schemas">schemas</a></nav>
${parts.join('\n')}
<h2 id="schemas">Schemas</h2>${schemas.join('\n')}</html>`
}

const CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function docsRoutes(app: FastifyInstance, { addressOf, play }: AppDeps, version: string): void {
  let made: ReturnType<typeof openApi> | null = null
  /** Made once, since it takes much longer than any answer, and needs no token. */
  const describe = (request: FastifyRequest) => {
    made ??= openApi(version, '', play)
    return { ...made, servers: [{ url: `${addressOf(request.raw)}/v1` }] }
  }
  app.get('/v1/openapi.json', async request => describe(request))
  app.get('/docs', async (request, reply) => {
    reply.headers({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': CSP })
    return docsPage(describe(request))
  })
}

/** Forbids what no route takes: a route for each of these operations would slow down the start. */
export function otherRoutes(app: FastifyInstance, deps: RouteDeps): void {
  let others: { readonly method: string; readonly pattern: RegExp }[] | null = null
  const isOther = (method: string, path: string): boolean => {
    others ??= OTHER_GROUPS.map(operation => ({ method: operation.method, pattern: pathPattern(routePath(operation)) }))
    return others.some(other => other.method === (method === 'HEAD' ? 'GET' : method) && other.pattern.test(path))
  }
  const admit = async (request: FastifyRequest): Promise<void> =>
    deps.rates.admit('other', (await findUser(request, deps)).username)

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    const path = request.url.split('?')[0] ?? ''
    if (isOther(request.method, path)) {
      await admit(request)
      throw new Refusal(403, 'Access forbidden')
    }
    if (path.startsWith(`/v1${RETIRED}`)) {
      await admit(request)
      return reply.code(301).send({ message: 'This product was retired in November 2024.' })
    }
  })
}
