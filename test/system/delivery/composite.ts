/**
 * Runs a composite action step by step as a runner of GitHub does: expressions, outputs, GITHUB_PATH and the cache. Of the actions that it
 * uses, the cache is a folder, and the others are recorded.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Ended, folderOf, follow } from '../cli/fettle.ts'

interface Step {
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, string>>
  readonly 'working-directory'?: string
}

export interface Event {
  readonly name: string
  readonly event?: object
  readonly runId: string
}

export interface ActionRun {
  readonly outputs: Readonly<Record<string, string>>
  readonly isGood: boolean
  readonly log: string
  readonly summary: string
  /** The steps that ran: ids, names of actions or `run`. */
  readonly steps: readonly string[]
  readonly used: readonly string[]
}

type Context = Readonly<Record<string, unknown>>

/** The value of an expression. A path that leads nowhere is an empty string, as on GitHub. */
export function evaluate(expression: string, context: Context): unknown {
  const look = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, key) => (value as Context | undefined)?.[key], context) ?? ''
  const code = expression.replace(/'[^']*'|[a-z_][\w-]*(?:\.[\w-]+)+|always\(\)/g, part =>
    part.startsWith("'") ? part : part === 'always()' ? 'true' : `look(${JSON.stringify(part)})`,
  )
  const known = /^(?:look\("[^"]*"\)|'[^']*'|true|[!()\s]|&&|\|\||==|!=)*$/
  if (!known.test(code)) throw new Error(`the expression ${expression} is not known here`)
  return new Function('look', `return ${code.replace(/([!=])=(?!=)/g, '$1=')}`)(look)
}

const filled = (text: string, context: Context): string =>
  text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => String(evaluate(expression.trim(), context)))

/** The outputs in a file of GITHUB_OUTPUT, in both of its forms. */
function outputsIn(text: string): Record<string, string> {
  const long = [...text.matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n?^\2$/gm)].map(([, name, , value]) => [name, value])
  const short = [...text.matchAll(/^([\w-]+)=(.*)$/gm)].map(([, name, value]) => [name, value])
  return Object.fromEntries([...long, ...short])
}

/** `env` is that of the job; `cache` the folder in which caches lie from one run to the next. */
export async function runAction(
  action: string,
  inputs: Readonly<Record<string, string>>,
  { cwd, env, cache, trigger }: { cwd: string; env: Readonly<Record<string, string>>; cache: string; trigger: Event },
): Promise<ActionRun> {
  const { inputs: declared, outputs, runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8'))
  const temp = folderOf()
  const github = {
    event_name: trigger.name,
    event: trigger.event ?? {},
    run_id: trigger.runId,
    run_attempt: '1',
    token: 'the-token',
  }
  const values = Object.fromEntries(
    Object.entries(declared as Record<string, { default?: string; required?: boolean }>).map(([name, one]) => {
      const value = inputs[name] ?? one.default
      if (value === undefined) throw new Error(`the input ${name} is missing`)
      return [name, filled(value, { github })]
    }),
  )
  for (const name of Object.keys(inputs)) if (!(name in values)) throw new Error(`there is no input ${name}`)
  const steps: Record<string, { outputs: Record<string, string> }> = {}
  const context = { github, inputs: values, steps }
  let isGood = true
  let log = ''
  const ran: string[] = []
  const used: string[] = []
  const file = (name: string): string => join(temp, name)
  const summary = file('summary')
  let path = env.PATH ?? ''
  for (const [index, step] of (runs.steps as Step[]).entries()) {
    const condition = step.if ?? 'isGood'
    const isWanted = condition === 'isGood' ? isGood : evaluate(condition, context) && (isGood || condition.includes('always()'))
    if (!isWanted) continue
    const given = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([name, value]) => [name, filled(String(value), context)]),
    )
    if (step.uses !== undefined) {
      used.push(step.uses)
      ran.push(step.uses.replace(/@.*/, ''))
      useCache(step.uses, given, cwd, cache)
      continue
    }
    ran.push(step.id ?? 'run')
    const [output, added] = [file(`output-${index}`), file(`path-${index}`)]
    for (const one of [output, added]) writeFileSync(one, '')
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, context)]))
    const ended: Ended = await follow(
      spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run ?? ''], {
        cwd: join(cwd, filled(step['working-directory'] ?? '.', context)),
        env: {
          ...env,
          ...{ GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: trigger.name, GITHUB_ACTION_PATH: action, GITHUB_WORKSPACE: cwd },
          ...{ GITHUB_OUTPUT: output, GITHUB_PATH: added, GITHUB_STEP_SUMMARY: summary, RUNNER_TEMP: temp, PATH: path },
          ...own,
        },
      }),
    ).ended
    log += ended.stdout + ended.stderr
    if (ended.code !== 0) isGood = false
    path = [...readFileSync(added, 'utf8').trim().split('\n').filter(Boolean).reverse(), path].join(':')
    if (step.id !== undefined) steps[step.id] = { outputs: outputsIn(readFileSync(output, 'utf8')) }
  }
  const results = Object.entries(outputs as Record<string, { value: string }>).map(([name, { value }]) => [
    name,
    filled(value, context),
  ])
  return {
    ...{ outputs: Object.fromEntries(results), isGood, log, steps: ran, used },
    summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
  }
}

/** A cache is a folder named by its key; the newest whose key begins as asked is restored. */
function useCache(uses: string, given: Readonly<Record<string, string>>, cwd: string, cache: string): void {
  const [, verb] = /^actions\/cache\/(restore|save)@/.exec(uses) ?? []
  if (verb === undefined) return
  mkdirSync(cache, { recursive: true })
  const { key = '', path = '', 'restore-keys': begins = key } = given
  const paths = path.trim().split('\n')
  const kept = readdirSync(cache)
    .filter(name => name.startsWith(begins.trim()))
    .sort()
    .at(-1)
  if (verb === 'restore' && kept !== undefined) cpSync(join(cache, kept), cwd, { recursive: true })
  if (verb === 'save')
    for (const one of paths) if (existsSync(join(cwd, one))) cpSync(join(cwd, one), join(cache, key, one), { recursive: true })
}
