/** A run in a process of its own that is told to stop at every fourth file operation. */
import '../use-processes.ts'
import { testSweeps } from '../sweep-suite.ts'

testSweeps([
  { effect: { disk: 'SIGINT' }, first: 2, step: 4 },
  { effect: { disk: 'SIGTERM' }, first: 4, step: 4 },
])
