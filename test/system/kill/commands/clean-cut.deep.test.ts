/** `clean` killed in the middle of each of its writes. */
import { cleanScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('clean', cleanScene, { jobs: 1, effects: ['cut'] })
