/** Random faults for a minute, with processes that are really killed. */
import { testCampaign } from './chaos-suite.ts'

testCampaign(60, [])
