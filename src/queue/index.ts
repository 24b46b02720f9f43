/** Re-exports the queue. */
export { type Connected, connectQueue, queueAddress } from './connect.ts'
export { queueFacts } from './facts.ts'
export { copyLines, type Lease, readLines } from './journal-replica.ts'
export { openSharedRateLimiter } from './rate-limiter.ts'
export { type Notice, type QueuedShardStatus, ShardQueue } from './shard-queue.ts'
export { openSigner, type Signed, Signer, unsigned } from './signature.ts'
export { runWorker, type ShardResult } from './worker.ts'
