/** candidates.test.ts with a separate process for each command. */
import './use-processes.ts'
import './candidates.test.ts'
