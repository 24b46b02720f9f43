/**
 * A fault at a sample of the requests and file operations of a run, carried out in this process: the end of the process, a power
 * cut, a full disk, a failing disk, a short write. Each time the next command finishes the run: one job, every row, no partial
 * file. real.test.ts repeats one point of each kind with SIGKILL, those in sweeps all of them.
 */
import { testSweeps } from './sweep-suite.ts'

testSweeps([
  { effect: { at: 'arrival' }, first: 1, step: 11, most: 2 },
  { effect: { at: 'carriedOut' }, first: 2, step: 7, most: 3 },
  { effect: { at: 'answered' }, first: 3, step: 11, most: 2 },
  { effect: { disk: 'SIGKILL' }, first: 4, step: 67, most: 4 },
  { effect: { disk: 'SIGKILL' }, first: 16, step: 67, powerCut: true, most: 4 },
  { effect: { at: 'carriedOut' }, first: 3, step: 11, powerCut: true, most: 2 },
  { effect: { disk: 'cut', ops: 'write' }, first: 2, step: 61, most: 2 },
  { effect: { disk: 'short', ops: 'write' }, first: 5, step: 97, most: 1 },
  { effect: { disk: 'ENOSPC', lasts: true }, first: 6, step: 149, most: 2 },
  { effect: { disk: 'ENOSPC' }, first: 9, step: 157, most: 2 },
  { effect: { disk: 'EIO' }, first: 1, step: 137, most: 2 },
  { effect: { disk: 'SIGINT' }, first: 20, step: 191, most: 2 },
  { effect: { disk: 'SIGTERM' }, first: 37, step: 187, most: 2 },
  { effect: { disk: 'SIGKILL' }, embedded: true, first: 40, step: 300, most: 2 },
  { effect: { disk: 'EIO' }, embedded: true, first: 70, step: 390, most: 2 },
])
