/** The stages of a run, in their order. */
import type { Stage } from '../stage.ts'
import { create } from './create.ts'
import { download } from './download.ts'
import { enrich } from './enrich.ts'
import { map } from './map.ts'
import { match } from './match.ts'
import { submit } from './submit.ts'
import { upload } from './upload.ts'

/** Create, upload, map, submit, match, enrich, download. */
export const STAGE_LIST: readonly Stage[] = [create, upload, map, submit, match, enrich, download]
