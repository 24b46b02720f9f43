/** A run in a process of its own whose disk is full from every file operation on, or at every fifth one. */
import '../use-processes.ts'
import { testSweeps } from '../sweep-suite.ts'

testSweeps([
  { effect: { disk: 'ENOSPC', lasts: true }, first: 1, step: 1 },
  { effect: { disk: 'ENOSPC' }, first: 3, step: 5 },
])
