/** The journal's face: re-exports only. */
export * from './events.ts'
export * from './file.ts'
export * from './lock.ts'
export * from './outcomes.ts'
export * from './state.ts'
