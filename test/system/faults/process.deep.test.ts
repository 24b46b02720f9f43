/** The cells of process.test.ts, all of them, each with a child process. */
import { launchChild } from './launch.ts'
import { isAlone } from './levers.ts'
import { playWith } from './play-child.ts'
import { conformanceOf } from './suite.ts'

conformanceOf(isAlone, playWith(launchChild), 2, true)
