/** A further `review --apply` killed at each of its file operations. */
import { reviewScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('a further review', data => reviewScene(data, { isFirst: false }))
