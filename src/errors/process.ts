/** The process itself: a mistake in fettle, and signals. */
import { action, entry } from './entry.ts'

// biome-ignore format: a table reads best with one row a line
export const PROCESS = {
  // -- bug
  FETTLE_BUG: entry('bug', 'This is a mistake in fettle.', 'Please report it with the command and its debug output.'),

  // -- signals
  FETTLE_ABORTED: entry('sigint', 'The program that called fettle stopped the run.', 'Resume the run; a remote job that was started continues meanwhile.', action('resume')),
  FETTLE_SIGINT: entry('sigint', 'Stopped by Ctrl-C.', 'Resume the run; a remote job that was started continues meanwhile.', action('resume')),
  FETTLE_SIGTERM: entry('sigterm', 'Stopped by SIGTERM.', 'Resume the run; a remote job that was started continues meanwhile.', action('resume')),
} as const
