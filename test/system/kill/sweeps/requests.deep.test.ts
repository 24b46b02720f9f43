/** A run in a process of its own killed around every request. */
import '../use-processes.ts'
import { testSweeps } from '../sweep-suite.ts'

testSweeps([
  { effect: { at: 'arrival' }, first: 1, step: 1 },
  { effect: { at: 'carriedOut' }, first: 1, step: 1 },
  { effect: { at: 'answered' }, first: 1, step: 1 },
])
