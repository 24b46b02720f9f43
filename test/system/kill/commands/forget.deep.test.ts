/** `forget` killed at each of its file operations. */
import { forgetScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('forget', forgetScene)
