/** The second night of a list killed before its file operations. */
import { nightScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('a night', nightScene, { jobs: 1, effects: ['SIGKILL'], isSampled: true })
