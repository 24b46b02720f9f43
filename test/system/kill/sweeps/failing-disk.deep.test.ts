/** A run in a process of its own whose disk fails at every file operation; at every 39th beside the embedded service. */
import '../use-processes.ts'
import { testSweeps } from '../sweep-suite.ts'

testSweeps([
  { effect: { disk: 'EIO' }, first: 1, step: 1 },
  { effect: { disk: 'EIO' }, embedded: true, first: 5, step: 39 },
])
