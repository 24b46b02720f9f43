/** Options of the library about answers of earlier runs. */
import type { RunArgs } from '../../journal/index.ts'
import { NO_REFRESH, type Refresh } from '../../reuse/verdict.ts'
import { type ReuseSettings, refreshArgs } from '../reuse/settings.ts'

/** Which answers of earlier runs a run uses. */
export interface ReuseOptions {
  /** Folder of the answers that later runs may use; `answers` in the directory of the runs if absent. */
  readonly answersDir?: string
  /** Rows that are sent although they have an answer of an earlier run: all, those of some outcomes, those with some keys. */
  readonly refresh?: Partial<Refresh>
}

export const reuseOf = ({ answersDir, refresh }: ReuseOptions): Omit<ReuseSettings, 'runsDir'> => ({
  answersDir: answersDir ?? null,
  refresh: { ...NO_REFRESH, ...refresh },
})

/** What a resume needs to know. */
export const recordedReuse = ({ answersDir, refresh }: ReuseOptions): RunArgs => ({
  ...(answersDir === undefined ? {} : { 'answers-dir': answersDir }),
  ...refreshArgs({ ...NO_REFRESH, ...refresh }),
})
