/** Imported before a test file: its commands have processes of their own. */
import { carryOutBy, startProcess } from './kit.ts'

carryOutBy(startProcess)
