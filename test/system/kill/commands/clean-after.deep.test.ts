/** `clean` killed after each of its file operations. */
import { cleanScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('clean', cleanScene, { jobs: 1, effects: ['killed'] })
