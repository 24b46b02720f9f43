/** The pipeline file in an editor: the real yaml-language-server, over its wire, with the schema that the modeline names. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from './fettle.ts'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: unknown
}

/** Nothing is fetched: the catalogue of schemas on the network is switched off. */
const SETTINGS = { yaml: { validate: true, completion: true, hover: true, schemaStore: { enable: false } } }

/** The language server as an editor speaks to it. */
class Editor {
  readonly #server = spawn(
    process.execPath,
    [join(createRequire(import.meta.url).resolve('yaml-language-server/package.json'), '../bin/yaml-language-server'), '--stdio'],
    { cwd: ROOT, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  #rest = Buffer.alloc(0)
  #ids = 0
  readonly #seen: Message[] = []
  readonly #listeners = new Set<() => void>()

  constructor() {
    this.#server.stdout.on('data', (chunk: Buffer) => {
      this.#rest = Buffer.concat([this.#rest, chunk])
      for (;;) {
        const head = this.#rest.indexOf('\r\n\r\n')
        const length = Number(/Content-Length: (\d+)/i.exec(this.#rest.toString('latin1', 0, head))?.[1])
        if (head === -1 || this.#rest.length < head + 4 + length) return
        this.#hear(JSON.parse(this.#rest.toString('utf8', head + 4, head + 4 + length)))
        this.#rest = this.#rest.subarray(head + 4 + length)
      }
    })
  }

  #hear(message: Message): void {
    // The server asks the editor for settings, and to register what it offers.
    if (message.method === 'workspace/configuration') {
      const { items } = message.params as { items: { section?: string }[] }
      const result = items.map(({ section }) => (section === 'yaml' ? SETTINGS.yaml : null))
      this.#send({ id: message.id, result })
    } else if (message.method !== undefined && message.id !== undefined) this.#send({ id: message.id, result: null })
    this.#seen.push(message)
    for (const listener of this.#listeners) listener()
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

  notify(method: string, params: object): void {
    this.#send({ method, params })
  }

  async request(method: string, params: object): Promise<unknown> {
    const id = ++this.#ids
    this.#send({ id, method, params })
    return (await this.heard(message => message.id === id && message.method === undefined)).result
  }

  /** Resolves with the first message that fits. */
  heard(fits: (message: Message) => boolean): Promise<Message> {
    return new Promise(resolve => {
      const look = (): void => {
        const found = this.#seen.find(fits)
        if (found === undefined) return
        this.#listeners.delete(look)
        resolve(found)
      }
      this.#listeners.add(look)
      look()
    })
  }

  stop(): void {
    this.#server.kill()
  }
}

const editor = new Editor()
afterAll(() => editor.stop())
beforeAll(async () => {
  const capabilities = { workspace: { configuration: true }, textDocument: { publishDiagnostics: {}, completion: {} } }
  await editor.request('initialize', { processId: process.pid, rootUri: pathToFileURL(ROOT).href, capabilities })
  editor.notify('initialized', {})
  editor.notify('workspace/didChangeConfiguration', { settings: SETTINGS })
})

/** Opens a text beside the pipelines of the repository; gives its address and what the server finds wrong in it. */
async function open(
  name: string,
  text: string,
  schema = '../schema/pipeline.v1.json',
): Promise<{ uri: string; diagnostics: { message: string; line: number }[] }> {
  const uri = pathToFileURL(join(ROOT, 'pipelines', name)).href
  const full = `# yaml-language-server: $schema=${schema}\n${text}`
  editor.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text: full } })
  const { params } = await editor.heard(
    ({ method, params }) => method === 'textDocument/publishDiagnostics' && params?.uri === uri,
  )
  const found = params?.diagnostics as { message: string; range: { start: { line: number } } }[]
  return { uri, diagnostics: found.map(({ message, range }) => ({ message, line: range.start.line })) }
}

/** The labels offered at a place; lines and characters from 0, the modeline being line 0. */
async function completions(uri: string, line: number, character: number): Promise<string[]> {
  const result = await editor.request('textDocument/completion', { textDocument: { uri }, position: { line, character } })
  return (result as { items: { label: string }[] }).items.map(({ label }) => label)
}

const GOOD = 'name: p\ninput: samples/clean.csv\nmappings:\n  name: name\n'

test('a good pipeline has no squiggle', async () => {
  expect((await open('good.yml', GOOD)).diagnostics).toEqual([])
  // As `fettle init` writes it for a fettle outside the project.
  const absolute = await open('absolute.yml', `${GOOD}chekcs: {}\n`, join(ROOT, 'schema/pipeline.v1.json'))
  expect(absolute.diagnostics.map(({ message }) => message).join()).toContain('chekcs')
})

test('a misspelt key and a wrong value are marked on their lines', async () => {
  const { diagnostics } = await open('wrong.yml', `${GOOD}chekcs: {}\nenrich: basicc\njob: { concurrency: 99 }\n`)
  const lines = diagnostics.map(({ line }) => line)
  expect(diagnostics.find(({ line }) => line === 5)?.message).toContain('chekcs')
  expect(lines).toEqual(expect.arrayContaining([5, 6, 7]))
  expect(lines.every(line => line >= 5)).toBe(true)
})

test('mapping names, keys and values are completed', async () => {
  const { uri } = await open('typing.yml', `${GOOD}  \nchecks:\n  \nreport:\n  rows: \n`)
  expect(await completions(uri, 5, 2)).toEqual(expect.arrayContaining(['orgNumber', 'vatNumber', 'postcode']))
  expect(await completions(uri, 7, 2)).toEqual(expect.arrayContaining(['matched', 'duplicates', 'drift']))
  expect(await completions(uri, 9, 8)).toEqual(expect.arrayContaining(['none', 'review', 'all']))
})

test('keys are explained where they stand', async () => {
  const { uri } = await open('hover.yml', `${GOOD}budget: { rows: 5 }\n`)
  const hover = await editor.request('textDocument/hover', { textDocument: { uri }, position: { line: 5, character: 12 } })
  expect(JSON.stringify(hover)).toContain('Refuse to send more rows')
})
