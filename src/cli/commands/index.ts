/** Every command, in the order of the help. Bodies are imported when a command is called, so that `--help` starts quickly. */
import type { Command } from '../command.ts'
import { check } from './check/command.ts'
import { clean } from './clean/command.ts'
import { collect } from './collect/command.ts'
import { completion } from './completion/command.ts'
import { costs } from './costs/command.ts'
import { diff } from './diff/command.ts'
import { doctor } from './doctor/command.ts'
import { estimate } from './estimate/command.ts'
import { events } from './events/command.ts'
import { explain } from './explain/command.ts'
import { forget } from './forget/command.ts'
import { init } from './init/command.ts'
import { merge } from './merge/command.ts'
import { plan } from './plan/command.ts'
import { probe } from './probe/command.ts'
import { register } from './register/command.ts'
import { report } from './report/command.ts'
import { resume } from './resume/command.ts'
import { review } from './review/command.ts'
import { run } from './run/command.ts'
import { runs } from './runs/command.ts'
import { schema } from './schema/command.ts'
import { screening } from './screening/command.ts'
import { serve } from './serve/command.ts'
import { status } from './status/command.ts'
import { test } from './test/command.ts'
import { verify } from './verify/command.ts'
import { worker } from './worker/command.ts'

export const COMMANDS: readonly Command[] = [
  clean,
  init,
  run,
  check,
  plan,
  estimate,
  probe,
  test,
  resume,
  status,
  collect,
  merge,
  worker,
  runs,
  report,
  diff,
  costs,
  review,
  verify,
  forget,
  events,
  serve,
  register,
  screening,
  doctor,
  completion(() => COMMANDS),
  schema,
  explain,
]
