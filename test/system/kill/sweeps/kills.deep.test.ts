/** A run in a process of its own killed at every file operation; at every nineteenth beside the embedded service. */
import '../use-processes.ts'
import { testSweeps } from '../sweep-suite.ts'

testSweeps([
  { effect: { disk: 'SIGKILL' }, first: 1, step: 1 },
  { effect: { disk: 'SIGKILL' }, embedded: true, first: 1, step: 19 },
])
