/** A fake of the portfolio and screening ports that records every effect. Answers can be lost before or after it. */
import { FettleError } from '../../../src/errors.ts'
import type { Hit } from '../../../src/model/hit-facts.ts'
import type {
  Alert,
  CandidateQuery,
  CompanyEvent,
  Effect,
  EffectOptions,
  Portfolio,
  PortfolioEntry,
  PortfolioRule,
  ProposedCompany,
  Schedule,
  Screening,
  ScreenQuery,
  TreeField,
} from '../../../src/model/requests.ts'
import type { AcceptedCompany, TreeAnswer, TreeQuestion } from '../../../src/model/results.ts'
import type {
  CandidateService,
  FetchedByJob,
  PortfolioService,
  ReportService,
  ScreenService,
  TreeService,
} from '../../../src/run/ports.ts'

interface Made extends ScreenQuery, Screening {
  readonly createdAt: string
}

export type AccountCall =
  | keyof PortfolioService
  | keyof ScreenService
  | keyof CandidateService
  | keyof ReportService
  | keyof TreeService
  | 'fetchByJob'

export class FakeAccount implements PortfolioService, ScreenService, CandidateService, ReportService, TreeService {
  readonly portfolios: Portfolio[] = []
  readonly companies = new Map<string, string>()
  /** Each was paid. */
  readonly searches: Made[] = []
  readonly calls: AccountCall[] = []
  /** Hits of a name. */
  hits: Readonly<Record<string, Readonly<Record<string, number>>>> = {}
  refused: ReadonlySet<string> = new Set()
  lose: Partial<Record<AccountCall, 'before' | 'after'>> = {}
  /** Milliseconds by which the service's clock is off. */
  skew = 0
  before: (call: AccountCall) => void = () => {}

  #call(name: AccountCall): void {
    this.before(name)
    this.calls.push(name)
  }

  async #effect<T>(name: AccountCall, options: EffectOptions<T>, body: () => T): Promise<Effect<T>> {
    const lost = this.lose[name]
    delete this.lose[name]
    if (lost !== 'before') {
      this.#call(name)
      const value = body()
      if (lost === undefined) return { value, adopted: false }
    }
    const found = await options.look('lost')
    return found === undefined ? this.#effect(name, options, body) : { value: found, adopted: true }
  }

  findPortfolios = async (name: string) => {
    this.#call('findPortfolios')
    return this.portfolios.filter(one => one.name === name)
  }
  readPortfolio = async (id: number) => {
    const found = this.portfolios.find(one => one.id === id)
    if (found === undefined) throw new FettleError('FETTLE_NOT_FOUND', `no portfolio ${id}`, { status: 404 })
    return found
  }
  createPortfolio = (name: string, options: EffectOptions<Portfolio>) =>
    this.#effect('createPortfolio', options, () => {
      const made = { id: this.portfolios.length + 1, name }
      this.portfolios.push(made)
      return made
    })
  addCompany = async (portfolio: number, { id, reference }: { id: string; reference: string }) => {
    this.#call('addCompany')
    await this.readPortfolio(portfolio)
    if (this.refused.has(id)) throw new FettleError('FETTLE_NOT_FOUND', `no company ${id}`, { status: 404 })
    if (this.companies.has(id)) return 'present' as const
    this.companies.set(id, reference)
    return 'added' as const
  }
  rules: Record<string, PortfolioRule[]> = {
    XX: [103, 104].map(code => ({ code, active: false, params: ['', '', ''] })),
    GB: [{ code: 5592, active: false, params: ['', '', ''] }],
  }
  readRules = async (_: number, country: string) => {
    this.#call('readRules')
    return this.rules[country] ?? []
  }
  setRules = async (_: number, country: string, rules: readonly PortfolioRule[]) => {
    this.#call('setRules')
    this.rules[country] = [...rules]
  }
  countCompanies = async () => {
    this.#call('countCompanies')
    return this.companies.size
  }
  listCompanies = async (): Promise<readonly PortfolioEntry[]> => {
    this.#call('listCompanies')
    return [...this.companies].map(([id, reference]) => ({
      id,
      reference,
      freeText: this.notes.get(id) ?? '',
      personalLimit: '',
    }))
  }
  /** Texts that people wrote. */
  readonly notes = new Map<string, string>()
  readonly files: { readonly kind: 'import' | 'sync'; readonly ids: readonly string[] }[] = []
  takesFiles = true
  sendCompanies = async (_: number, kind: 'import' | 'sync', companies: readonly PortfolioEntry[]) => {
    this.#call('sendCompanies')
    if (!this.takesFiles) return null
    this.files.push({ kind, ids: companies.map(({ id }) => id) })
    if (kind === 'sync') this.companies.clear()
    for (const { id, reference, freeText } of companies) {
      if (this.refused.has(id) || (kind === 'import' && this.companies.has(id))) continue
      this.companies.set(id, reference)
      this.notes.set(id, freeText)
    }
    return `Accepted for processing. Import Id ${this.files.length}`
  }
  /** What the service reports, newest last. */
  readonly events: CompanyEvent[] = []
  readonly marked = new Set<number>()
  marksEvents = true
  listEvents = async (_: number, _since: string | null) => {
    this.#call('listEvents')
    return this.events.map(one => ({ ...one, processed: this.marked.has(one.id) }))
  }
  markEvent = async (_: number, event: number) => {
    this.#call('markEvent')
    if (this.marksEvents) this.marked.add(event)
    return this.marksEvents
  }
  startScreening = (query: ScreenQuery, options: EffectOptions<Screening>) =>
    this.#effect('startScreening', options, () => {
      if (this.refused.has(query.name)) throw new FettleError('FETTLE_REJECTED', `not ${query.name}`, { status: 400 })
      const hits = Object.values(this.hits[query.name] ?? {}).reduce((sum, count) => sum + count, 0)
      const createdAt = new Date(Date.UTC(2025, 0, 1) + this.skew + this.searches.length).toISOString()
      const made = { ...query, id: `search-${this.searches.length + 1}`, createdAt, hits }
      this.searches.push(made)
      return made
    })
  findScreening = async (query: ScreenQuery, since: { at: string; other: string | null }): Promise<Screening | undefined> => {
    this.#call('findScreening')
    const isOf = (one: Made): boolean => one.name === query.name && one.id !== since.other && one.createdAt >= since.at
    return this.searches.findLast(isOf)
  }
  readRisks = async (id: string) => {
    this.#call('readRisks')
    const risks = this.hits[this.searches.find(one => one.id === id)!.name] ?? {}
    return { hits: Object.values(risks).reduce((sum, count) => sum + count, 0), risks }
  }
  readListChanges = async () => ({ listsKey: '', changed: null })
  readHits = async (): Promise<readonly Hit[]> => []
  schedules: Schedule[] = []
  alerts: Alert[] = []
  unmonitored: ReadonlySet<string> = new Set()
  listSchedules = async (): Promise<readonly Schedule[]> => {
    this.#call('listSchedules')
    return [...this.schedules]
  }
  createSchedules = (
    searches: readonly { readonly searchId: string; readonly query: ScreenQuery }[],
    options: EffectOptions<Readonly<Record<string, string>>>,
  ) =>
    this.#effect('createSchedules', options, () => {
      for (const { searchId, query } of searches)
        if (!this.unmonitored.has(searchId)) this.schedules.push({ id: `schedule of ${searchId}`, searchId, ...query })
      return Object.fromEntries([...this.unmonitored].map(id => [id, 'not this one']))
    })
  removeSchedule = async (id: string) => {
    this.#call('removeSchedule')
    this.schedules = this.schedules.filter(one => one.id !== id)
  }
  listAlerts = async (): Promise<readonly Alert[]> => {
    this.#call('listAlerts')
    return this.alerts
  }
  trees = [{ id: 't-1', name: 'Supplier check' }]
  treeFields: TreeField[] = [{ name: 'Amount', isMandatory: false }]
  /** Runs of the tree by key; each was paid. */
  readonly runs: { readonly key: string; readonly company: string; readonly answer: TreeAnswer }[] = []
  findTrees = async (name: string) => {
    this.#call('findTrees')
    return this.trees.filter(tree => tree.id === name || tree.name === name)
  }
  readTreeFields = async () => {
    this.#call('readTreeFields')
    return this.treeFields
  }
  readTreeVersion = async () => 'v1'
  runTree = (_: string, { company }: TreeQuestion, options: EffectOptions<TreeAnswer>) =>
    this.#effect('runTree', options, () => {
      if (this.refused.has(company)) throw new FettleError('FETTLE_NOT_FOUND', `no company ${company}`, { status: 404 })
      const answer = { decision: 'accept', rule: 'known', why: `${company} is known` } as const
      this.runs.push({ key: options.key, company, answer })
      return answer
    })
  findRun = async (_: string, _question: TreeQuestion, key: string) => {
    this.#call('findRun')
    return this.runs.find(run => run.key === key)?.answer
  }
  /** Questions that reached the service, with the operation. */
  readonly questions: string[] = []
  findCandidates = async ({ name = '' }: CandidateQuery, by: 'match' | 'search'): Promise<readonly ProposedCompany[]> => {
    this.#call('findCandidates')
    const lost = this.lose.findCandidates
    delete this.lose.findCandidates
    this.questions.push(`${by} ${name}`)
    if (lost !== undefined) throw new FettleError('FETTLE_UNANSWERED', `the answer about ${name} was lost`, { unanswered: true })
    if (this.refused.has(name)) throw new FettleError('FETTLE_REJECTED', `not ${name}`, { status: 400 })
    return [{ id: `GB-${name}`, name, score: 0.5, why: 'name =', parts: {}, fields: {}, tags: {} }]
  }

  /** Companies whose tags were asked for, and how. */
  readonly asked: string[] = []
  /** Reports that were paid. */
  readonly ordered: string[] = []
  readTags = async (id: string): Promise<Readonly<Record<string, string>>> => {
    this.#call('readTags')
    const lost = this.lose.readTags
    delete this.lose.readTags
    this.ordered.push(id)
    if (lost !== undefined) throw new FettleError('FETTLE_UNANSWERED', `the report of ${id} was lost`, { unanswered: true })
    if (this.refused.has(id)) throw new FettleError('FETTLE_NOT_FOUND', `no company ${id}`, { status: 404 })
    return { 'general.companyName': `${id} Ltd` }
  }
  /** A job continues for the same companies, and is paid once. */
  readonly jobs = new Set<string>()
  fetchByJob = async (companies: readonly AcceptedCompany[]): Promise<FetchedByJob> => {
    this.#call('fetchByJob')
    const ids = companies.map(({ id }) => id)
    this.jobs.add(ids.join())
    const found = ids.filter(id => !this.refused.has(id)).map(id => ({ id, tags: { 'general.companyName': `${id} Ltd` } }))
    return { job: 'job-2', paid: found.length, companies: found }
  }
}
