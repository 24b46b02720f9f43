/** The second night of a list killed at each of its file operations. */
import { nightScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('a night', nightScene, 1)
