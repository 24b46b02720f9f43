/** The cells of the fault matrix that run in this process: connections, clocks, changed files; how many: test/support/runs.ts. */
import { isAlone } from './levers.ts'
import { playHere } from './play-here.ts'
import { conformanceOf } from './suite.ts'

conformanceOf(cell => !isAlone(cell), playHere, 8)
