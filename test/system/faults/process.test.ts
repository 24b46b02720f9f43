/** The cells of the fault matrix that need a child process: kills, signals, a failing disk, a closed pipe. */
import { isAlone } from './levers.ts'
import { playChild } from './play-child.ts'
import { conformanceOf } from './suite.ts'

conformanceOf(isAlone, playChild, 2)
