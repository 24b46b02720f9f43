/** The dispatcher of observers: order of calls, isolation of failures, and one report of each. */
import { describe, expect, test } from 'vitest'
import type { RunState } from '../../../src/journal/index.ts'
import { createDispatcher, type RunReporter } from '../../../src/observe/reporters.ts'

const STATE = { runId: 'r-1', jobs: [] } as unknown as RunState
const FINISHED = { type: 'stage.started', stage: 'create' } as const

/** A reporter that writes each call to `calls`. */
const recorder = (name: string, calls: string[]): RunReporter => ({
  name,
  onRunStart: ({ runId }) => void calls.push(`${name} start ${runId}`),
  onEvent: ({ type }) => void calls.push(`${name} ${type}`),
  onProgress: ({ type }) => void calls.push(`${name} ${type}`),
  onNote: text => void calls.push(`${name} note ${text}`),
  onWarning: text => void calls.push(`${name} warning ${text}`),
  onRunEnd: () => void calls.push(`${name} end`),
})

describe('a dispatcher', () => {
  test('calls the reporters in their order, reporters of the run after reporters of the call', () => {
    const calls: string[] = []
    const run = createDispatcher([recorder('a', calls), recorder('b', calls)]).with([recorder('c', calls)])
    run.emit('onRunStart', STATE, null)
    run.emit('onEvent', FINISHED, STATE)
    run.emit('onProgress', { type: 'retry', message: 'again' }, STATE)
    expect(calls).toEqual(['start r-1', 'stage.started', 'retry'].flatMap(what => ['a', 'b', 'c'].map(name => `${name} ${what}`)))
  })

  test('reports a failing reporter once, to the others, and does not call it again', () => {
    const calls: string[] = []
    let count = 0
    const failing: RunReporter = {
      name: 'failing',
      onEvent: () => {
        count++
        throw new Error('disk full')
      },
      onWarning: text => void calls.push(`failing warning ${text}`),
    }
    const run = createDispatcher([failing, recorder('a', calls)])
    run.emit('onEvent', FINISHED, STATE)
    run.emit('onEvent', FINISHED, STATE)
    expect(count).toBe(1)
    expect(calls).toEqual([
      'a warning the reporter failing failed, the run did not: disk full',
      'a stage.started',
      'a stage.started',
    ])
  })

  test('shares a failure between the runs of a call', () => {
    const calls: string[] = []
    const failing: RunReporter = {
      name: 'failing',
      onEvent: () => {
        throw new Error('gone')
      },
    }
    const call = createDispatcher([failing, { name: 'log', onWarning: text => void calls.push(text) }])
    for (const run of [call.with([]), call.with([])]) run.emit('onEvent', FINISHED, STATE)
    call.guard(failing, () => calls.push('called again'))
    expect(calls).toEqual(['the reporter failing failed, the run did not: gone'])
  })

  test('reports a rejected promise at the flush, and waits for promises that hooks return meanwhile', async () => {
    const calls: string[] = []
    const late: RunReporter = {
      name: 'late',
      onRunStart: async () => {
        await Promise.resolve()
        throw new Error('too late')
      },
    }
    const slow: RunReporter = {
      name: 'slow',
      onWarning: async text => {
        await new Promise(resolve => setImmediate(resolve))
        calls.push(text)
      },
    }
    const run = createDispatcher([late, slow])
    run.emit('onRunStart', STATE, null)
    expect(calls).toEqual([])
    await run.flush()
    expect(calls).toEqual(['the reporter late failed, the run did not: too late'])
  })

  test('freezes the arguments: a reporter cannot change the state of the run', () => {
    const calls: string[] = []
    const state = structuredClone(STATE)
    const meddler: RunReporter = { name: 'meddler', onRunStart: ({ jobs }) => (jobs as unknown[]).push('x') }
    const run = createDispatcher([meddler, { name: 'log', onNote: text => void calls.push(text) }])
    run.emit('onRunStart', state, null)
    expect(state.jobs).toEqual([])
    expect(calls).toEqual([expect.stringMatching(/^the reporter meddler failed, the run did not: Cannot add/)])
  })

  test('passes a warning to onNote where a reporter has no onWarning', () => {
    const calls: string[] = []
    const run = createDispatcher([recorder('a', calls), { name: 'b', onNote: text => void calls.push(`b note ${text}`) }])
    run.emit('onWarning', 'w')
    expect(calls).toEqual(['a warning w', 'b note w'])
  })

  test('calls reporters that were added to its list later', () => {
    const calls: string[] = []
    const list = [recorder('a', calls)]
    const run = createDispatcher(list).with([])
    list.push(recorder('b', calls))
    run.emit('onNote', 'n')
    expect(calls).toEqual(['a note n', 'b note n'])
    expect([run.has('onNote'), run.has('onLineageEvent')]).toEqual([true, false])
  })
})
