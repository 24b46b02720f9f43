/** Password checks of the services in this process cost a sixteenth: nearly every test with a service logs in, most of them often. */
import { PARAMETERS } from '../../src/service/auth/users.ts'

PARAMETERS.N = 2 ** 10
