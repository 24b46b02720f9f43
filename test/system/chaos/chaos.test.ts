/** Random faults for six seconds, with runs in one process as if it were several and a service that is really killed. */
import { testCampaign } from './chaos-suite.ts'

testCampaign(6, ['--simulated'])
