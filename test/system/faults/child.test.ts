/** One cell of each kind of process.test.ts with a child process. */
import { launchChild } from './launch.ts'
import { playWith } from './play-child.ts'
import { conformanceOf } from './suite.ts'

const SAMPLE = ['F27/upload/EIO', 'F28/submit/not answered', 'F29/match/SIGTERM', 'F30/enrich/SIGINT', 'F34/login', 'F46/report']

conformanceOf(cell => SAMPLE.includes(cell.id), playWith(launchChild), 2, true)
