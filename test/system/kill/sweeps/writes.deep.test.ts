/** A run in a process of its own killed in the middle of every write, and with every write short. */
import '../use-processes.ts'
import { testSweeps } from '../sweep-suite.ts'

testSweeps([
  { effect: { disk: 'cut', ops: 'write' }, first: 1, step: 1 },
  { effect: { disk: 'short', ops: 'write' }, first: 1, step: 1 },
])
