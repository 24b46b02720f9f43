/** What a process used, reported by itself: imported before it (`node --import`), BENCH_USAGE names the file it goes to. */
import { writeFileSync } from 'node:fs'

const path = process.env.BENCH_USAGE
if (path !== undefined)
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    writeFileSync(path, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 }))
  })
