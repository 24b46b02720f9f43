/**
 * The table of stages, in the order in which a run passes through them: what each sends and which plans have it. Journal, runner
 * and plan output read it; the code of a stage is in run/stages.
 */
import type { OperationName } from '../contract/index.ts'

interface StagePlan {
  readonly enrich: object | null
  readonly candidates?: { readonly fetch?: 'job' | 'report' | null } | null
  readonly portfolio?: {
    readonly id: number | null
    readonly rules?: object
    readonly sync?: true
    readonly remove?: object
  } | null
  readonly screen?: {
    readonly decisions?: string
    readonly people?: string
    readonly monitor?: object
    readonly alerts?: string
  } | null
  readonly output?: { readonly columns: readonly string[] } | null
  readonly decide?: { readonly waits?: true; readonly events?: true }
  readonly tree?: object
  readonly reuse?: { readonly decide?: number } | null
  readonly events?: { readonly mark: boolean } | null
  readonly after?: 'archive'
}

/** Whether the decision table or a column of the output reads the searches: the outputs are written after them. */
export const doOutputsReadHits = ({ decide, screen, output }: Pick<StagePlan, 'decide' | 'screen' | 'output'>): boolean =>
  decide?.waits === true || (screen != null && output?.columns.some(name => name.startsWith('screen.')) === true)

interface StageDescriptor {
  readonly name: string
  /**
   * Stages of `early` run once, before the rows that are sent are chosen. Jobs pass through the stages of `submit` and `match` side by side. `enrich` starts when all jobs are matched, since only then
   * the cost is known. Stages of `companies` run once, after the outputs are written, for the companies of all jobs; the last one is about the
   * jobs themselves.
   */
  readonly group: 'early' | 'submit' | 'match' | 'enrich' | 'companies'
  /** Whether a run of this plan has the stage; absent: every run has it, and may skip it. */
  readonly isPlanned?: (plan: StagePlan) => boolean
  readonly operations: (plan: StagePlan) => readonly OperationName[]
}

const sends =
  (...operations: readonly OperationName[]) =>
  () =>
    operations

const ifEnriched =
  (...operations: readonly OperationName[]) =>
  ({ enrich }: StagePlan) =>
    enrich === null ? [] : operations

const STAGES = [
  {
    name: 'events',
    group: 'early',
    isPlanned: ({ events }) => events != null,
    operations: ({ portfolio, decide }) => [
      portfolio?.id == null ? 'listPortfolios' : 'readPortfolio',
      'listPortfolioNotificationEvents',
      ...(decide?.events === true ? (['listPortfolioCompanies'] as const) : []),
    ],
  },
  {
    name: 'tree',
    group: 'early',
    isPlanned: ({ tree }) => tree !== undefined,
    operations: ({ reuse }) => [
      'listDecisionTrees',
      'listDecisionFields',
      ...(reuse?.decide === undefined ? [] : (['readDecisionInstance'] as const)),
    ],
  },
  { name: 'create', group: 'submit', operations: sends('createJob') },
  { name: 'upload', group: 'submit', operations: sends('upload') },
  { name: 'map', group: 'submit', operations: sends('setMappings') },
  { name: 'submit', group: 'submit', operations: sends('submit') },
  { name: 'match', group: 'match', operations: sends('readJob') },
  { name: 'enrich', group: 'enrich', operations: ifEnriched('setEnrichments', 'enrich', 'readJob') },
  { name: 'download', group: 'enrich', operations: ifEnriched('enrichedFile') },
  {
    name: 'candidates',
    group: 'companies',
    isPlanned: ({ candidates }) => candidates != null,
    operations: sends('matchCompanies'),
  },
  {
    name: 'accepted',
    group: 'companies',
    isPlanned: ({ candidates }) => candidates?.fetch != null,
    operations: ({ candidates }) =>
      candidates?.fetch === 'report'
        ? ['readReport']
        : ['createJob', 'upload', 'setMappings', 'submit', 'readJob', 'setEnrichments', 'enrich', 'enrichedFile'],
  },
  {
    name: 'portfolio',
    group: 'companies',
    isPlanned: ({ portfolio }) => portfolio != null,
    operations: ({ portfolio }) => [
      ...(portfolio?.id == null ? (['listPortfolios', 'createPortfolio'] as const) : (['readPortfolio'] as const)),
      ...(portfolio?.rules === undefined ? [] : (['listPortfolioCountryEventRules', 'setEventRules'] as const)),
      ...(portfolio?.sync === true ? (['listPortfolioCompanies', 'importCompanies'] as const) : (['addCompany'] as const)),
      ...(portfolio?.remove === undefined ? [] : (['syncCompanies'] as const)),
    ],
  },
  {
    name: 'screen',
    group: 'companies',
    isPlanned: ({ screen }) => screen != null,
    operations: ({ screen }) => [
      ...(['createBusinessSearch', 'listBusinessHits'] as const),
      ...(screen?.decisions === undefined ? [] : (['readBusinessHit'] as const)),
      ...(screen?.people === undefined ? [] : (['createIndividualSearch', 'listIndividualHits'] as const)),
      ...(screen?.people === undefined || screen.decisions === undefined ? [] : (['readIndividualHit'] as const)),
    ],
  },
  {
    name: 'monitor',
    group: 'companies',
    isPlanned: ({ screen }) => screen?.monitor !== undefined,
    operations: ({ screen }) => [
      ...(['listSchedules', 'createSchedules', 'deleteSchedule'] as const),
      ...(screen?.alerts === undefined ? [] : (['listScheduleAlerts'] as const)),
    ],
  },
  {
    name: 'ask',
    group: 'companies',
    isPlanned: ({ tree }) => tree !== undefined,
    operations: sends('runDecision'),
  },
  {
    name: 'decide',
    group: 'companies',
    isPlanned: plan => doOutputsReadHits(plan) || plan.screen?.decisions !== undefined || plan.tree !== undefined,
    operations: sends(),
  },
  {
    name: 'deliver',
    group: 'companies',
    isPlanned: ({ events }) => events != null,
    operations: ({ events }) => (events?.mark === true ? ['markNotificationEvent'] : []),
  },
  {
    name: 'archive',
    group: 'companies',
    isPlanned: ({ after }) => after === 'archive',
    operations: sends('readJob', 'archive'),
  },
] as const satisfies readonly StageDescriptor[]

type Row = (typeof STAGES)[number]

export type StageGroupName = Row['group']
export type StageName<G extends StageGroupName = StageGroupName> = Extract<Row, { readonly group: G }>['name']

export const STAGE_NAMES = STAGES.map(({ name }) => name)

export const stagesOf = (plan: StagePlan): readonly (StageDescriptor & { readonly name: StageName })[] =>
  STAGES.filter((stage: StageDescriptor) => stage.isPlanned?.(plan) ?? true)

export const stagesIn = <G extends StageGroupName>(...groups: readonly G[]): StageName<G>[] =>
  STAGES.flatMap(({ name, group }) => ((groups as readonly string[]).includes(group) ? [name as StageName<G>] : []))
