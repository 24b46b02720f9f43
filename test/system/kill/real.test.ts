/** One or two points of each kind of sweep.test.ts with a process of its own, ended by SIGKILL. */
import { carryOutBy, startProcess } from './kit.ts'
import { testSweeps } from './sweep-suite.ts'

carryOutBy(startProcess)

const at = (...only: number[]) => ({ first: 1, step: 1, only })

testSweeps([
  { effect: { at: 'carriedOut' }, ...at(5) },
  { effect: { disk: 'SIGKILL' }, ...at(105) },
  { effect: { disk: 'cut', ops: 'write' }, ...at(40) },
  { effect: { disk: 'EIO' }, ...at(90) },
  { effect: { disk: 'SIGTERM' }, ...at(120) },
])
