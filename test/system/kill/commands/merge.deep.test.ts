/** `merge` killed at each of its file operations. */
import { mergeScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('merge', mergeScene)
