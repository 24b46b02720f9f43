/** The peak memory of a process, told by itself: imported before it (`node --import`), BENCH_PEAK names the file it goes to. */
import { readFileSync, writeFileSync } from 'node:fs'

/** Megabytes this process held at its peak (Linux: VmHWM). */
export const peakMb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024

const path = process.env.BENCH_PEAK
if (path !== undefined) process.on('exit', () => writeFileSync(path, String(peakMb())))
