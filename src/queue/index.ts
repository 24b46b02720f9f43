/** The queue's face: re-exports only. It is loaded by whoever asks for a queue. */
export { queueAddress } from './address.ts'
export { Board, type Notice, type Standing } from './board.ts'
export { type Connected, connectQueue } from './connect.ts'
export { copyLines, type Hold, readLines } from './copy.ts'
export { queueFacts } from './facts.ts'
export { type Left, workAt } from './station.ts'
export { openTurns } from './turns.ts'
