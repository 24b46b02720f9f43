/** hints.test.ts with a separate process for each command. */
import './use-processes.ts'
import './hints.test.ts'
