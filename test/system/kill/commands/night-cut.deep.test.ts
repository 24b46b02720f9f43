/** The second night of a list killed in the middle of its writes. */
import { nightScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('a night', nightScene, { jobs: 1, effects: ['cut'], isSampled: true })
