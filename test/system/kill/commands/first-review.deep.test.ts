/** A first `review --apply` killed at each of its file operations. */
import { reviewScene } from '../scenes.ts'
import { killAtEveryOperation } from './every-operation.ts'

killAtEveryOperation('a first review', data => reviewScene(data, { isFirst: true }))
