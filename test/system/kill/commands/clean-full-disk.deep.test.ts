/** `clean` with a disk that is full for one of its file operations. */
import { cleanScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('clean', cleanScene, { jobs: 1, effects: ['ENOSPC'] })
