/** takeover.test.ts with a separate process for each command. */
import '../kill/use-processes.ts'
import './takeover.test.ts'
