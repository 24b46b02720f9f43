/** The cells of the fault matrix that need a program of their own: kills, signals, a failing disk, a closed pipe. They run in this process. */
import { launchHere } from './launch.ts'
import { isAlone } from './levers.ts'
import { playWith } from './play-child.ts'
import { conformanceOf } from './suite.ts'

conformanceOf(isAlone, playWith(launchHere), 4)
