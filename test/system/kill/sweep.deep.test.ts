/**
 * A fault at every request and every file operation of a run in a process of its own; every fourth or fifth operation for ENOSPC
 * once, SIGINT and SIGTERM, fewer for the embedded service.
 */
import './use-processes.ts'
import { testSweeps } from './sweep-suite.ts'

testSweeps([
  { effect: { at: 'arrival' }, first: 1, step: 1 },
  { effect: { at: 'carriedOut' }, first: 1, step: 1 },
  { effect: { at: 'answered' }, first: 1, step: 1 },
  { effect: { disk: 'SIGKILL' }, first: 1, step: 1 },
  { effect: { disk: 'cut', ops: 'write' }, first: 1, step: 1 },
  { effect: { disk: 'short', ops: 'write' }, first: 1, step: 1 },
  { effect: { disk: 'ENOSPC', lasts: true }, first: 1, step: 1 },
  { effect: { disk: 'ENOSPC' }, first: 3, step: 5 },
  { effect: { disk: 'EIO' }, first: 1, step: 1 },
  { effect: { disk: 'SIGINT' }, first: 2, step: 4 },
  { effect: { disk: 'SIGTERM' }, first: 4, step: 4 },
  { effect: { disk: 'SIGKILL' }, embedded: true, first: 1, step: 19 },
  { effect: { disk: 'EIO' }, embedded: true, first: 5, step: 39 },
])
