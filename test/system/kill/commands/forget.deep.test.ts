/** `forget` killed at its file operations. */
import { forgetScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('forget', forgetScene, { isSampled: true })
