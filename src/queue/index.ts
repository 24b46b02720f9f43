/** The queue's face: re-exports only. It is loaded by whoever asks for a queue. */
export { queueAddress } from './address.ts'
export { Board, type Notice, type Standing } from './shard-queue.ts'
export { type Connected, connectQueue } from './connect.ts'
export { copyLines, type Hold, readLines } from './journal-replica.ts'
export { queueFacts } from './facts.ts'
export { type Left, workAt } from './worker.ts'
export { openTurns } from './rate-limiter.ts'
