/** The cells of the fault matrix that need a process of their own: kills, signals, a disk that fails, a reader that goes. */
import { isAlone } from './levers.ts'
import { playChild } from './play-child.ts'
import { conformanceOf } from './suite.ts'

conformanceOf(isAlone, playChild, 2)
