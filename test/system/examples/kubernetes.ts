/** What the job controller of Kubernetes does with the pods of examples/kubernetes. */
import { expect } from 'vitest'
import type { Ended } from '../cli/fettle.ts'
import { type Project, run } from './kit.ts'

export interface Rule {
  readonly action: string
  readonly onExitCodes?: { readonly operator: string; readonly values: readonly number[] }
}

export interface Container {
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly valueFrom: { readonly fieldRef: { readonly fieldPath: string } } }[]
}

/** Runs a pod of the Job with this uid, which the job controller gives its pods as a label. */
export function runPod({ cwd, env: more }: Project, { args, env }: Container, uid: string, index = 0): Promise<Ended> {
  const own = env.map(({ name, valueFrom }) => {
    expect(valueFrom.fieldRef.fieldPath).toBe("metadata.labels['batch.kubernetes.io/controller-uid']")
    return [name, uid] as const
  })
  return run('fettle', args, { cwd, env: { ...more, ...Object.fromEntries(own), JOB_COMPLETION_INDEX: `${index}` } })
}

/** What the failure policy does after an exit code: `Count` where no rule names it, and another pod is started. */
export const actionAfter = (rules: readonly Rule[], code: number): string =>
  rules.find(({ onExitCodes: on }) => on !== undefined && on.values.includes(code) === (on.operator === 'In'))?.action ?? 'Count'
