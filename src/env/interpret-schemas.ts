/** Sets how zod checks values in this process. Called before the schemas are loaded. */
import { config } from 'zod'

/** Compiling its schemas takes zod longer than a command parses with them (measured: 30 ms of a run of 20 rows). */
export const interpretSchemas = (): void => void config({ jitless: true })
