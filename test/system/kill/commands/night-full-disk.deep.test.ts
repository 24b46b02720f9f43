/** The second night of a list with a disk that is full for one of its file operations. */
import { nightScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('a night', nightScene, { jobs: 1, effects: ['ENOSPC'], isSampled: true })
