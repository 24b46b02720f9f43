import type { Ended, Task } from './workers.ts'

export function loadExecute(product: string): Promise<(task: Task) => Promise<Ended>>
