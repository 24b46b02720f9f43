/** changed.test.ts with a separate process for each command. */
import './use-processes.ts'
import './changed.test.ts'
