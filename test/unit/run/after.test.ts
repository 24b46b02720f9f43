/** The stages after the outputs: companies in a portfolio, and AML searches that are paid once each, also after lost answers and kills. */

import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { FoundCompany } from '../../../src/model/results.ts'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import type { FakeAccount } from './fake-account.ts'
import { refusal } from './fake-service.ts'
import { crashAfterOutputs, planOf, resumed, type World, worldOf } from './world.ts'

const company = (at: number, name = `Company ${at}`): FoundCompany => ({ row: at, id: `GB-${at}`, name, reference: `ref ${at}` })
const COMPANIES = [1, 2, 3, 4, 5].map(at => company(at))
const PORTFOLIO = { name: 'Suppliers', id: null, reference: { header: 'Reg No', index: 1 } }
const SCREEN = { datasets: ['SAN', 'AM'] as const, threshold: 85, countries: [], budget: null } as const

function worldWith(
  change: Partial<Plan>,
  companies: readonly FoundCompany[] = COMPANIES,
  prepare = (_: FakeAccount) => {},
): World {
  const world = worldOf(planOf(change))
  world.results.found = companies
  prepare(world.account)
  return world
}

const HALF = { text: '> 50%', operator: '>', value: 0.5, unit: 'share' } as const

test('a result that a check rejected changes no portfolio and pays no search, unless it replaces the outputs', async () => {
  const { output } = planOf()
  const plan = { portfolio: PORTFOLIO, screen: SCREEN, checks: [{ name: 'matched', warn: null, fail: HALF }] } as const
  const rejected = worldWith(plan)
  const state = await rejected.run()
  expect(state).toMatchObject({
    finished: true,
    status: 'fail',
    exitCode: 1,
    portfolio: { id: null },
    screening: { searches: 0 },
  })
  expect(state.stages.slice(-2)).toMatchObject([
    { name: 'portfolio', status: 'skipped', note: 'a check failed' },
    { name: 'screen', status: 'skipped', note: 'a check failed' },
  ])
  expect([rejected.account.companies.size, rejected.account.portfolios.length]).toEqual([0, 0])
  const replaced = worldWith({ ...plan, output: { ...output!, onFail: 'replace' } })
  expect(await replaced.run()).toMatchObject({ status: 'fail', portfolio: { added: 5 }, screening: { searches: 5 } })
  const warned = worldWith({ ...plan, checks: [{ name: 'matched', warn: HALF, fail: null }] })
  expect(await warned.run()).toMatchObject({ status: 'warn', portfolio: { added: 5 }, screening: { searches: 5 } })
})

describe('portfolio', () => {
  test('is created when none has the name, and gets every company with its reference', async () => {
    const world = worldWith({ portfolio: PORTFOLIO })
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
    expect(state.portfolio).toMatchObject({ id: 1, name: 'Suppliers', created: true, done: 5, added: 5, present: 0, refused: 0 })
    expect(state.stages.map(({ name }) => name).slice(-2)).toEqual(['download', 'portfolio'])
    expect([...world.account.companies]).toEqual(COMPANIES.map(({ id, reference }) => [id, reference]))
  })

  test('one that is there is used, and who is in it already stays as they are', async () => {
    const world = worldWith({ portfolio: PORTFOLIO }, COMPANIES, account => {
      account.portfolios.push({ id: 7, name: 'Others' }, { id: 8, name: 'Suppliers' })
      account.companies.set('GB-2', 'mine')
    })
    expect((await world.run()).portfolio).toMatchObject({ id: 8, created: false, added: 4, present: 1 })
    expect(world.account.companies.get('GB-2')).toBe('mine')
    expect(world.account.portfolios).toHaveLength(2)
  })

  test('by its number it must be there', async () => {
    const world = worldWith({ portfolio: { name: null, id: 9, reference: null } })
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 76, error: { code: 'FETTLE_PORTFOLIO' } })
    world.account.portfolios.push({ id: 9, name: 'Nine' })
    const next = resumed(world)
    expect(await next.run()).toMatchObject({ finished: true, portfolio: { id: 9, added: 5 } })
  })

  test('two of one name are named, and nothing is added', async () => {
    const world = worldWith({ portfolio: PORTFOLIO }, COMPANIES, account => {
      account.portfolios.push({ id: 7, name: 'Suppliers' }, { id: 8, name: 'Suppliers' })
    })
    const { error } = await world.run()
    expect(error).toMatchObject({ code: 'FETTLE_PORTFOLIO', message: expect.stringContaining('7, 8') })
    expect(error!.hint).toContain('{ id: 7 }')
    expect(world.account.companies.size).toBe(0)
  })

  test('reports a company that the service refuses, and adds the others', async () => {
    const world = worldWith({ portfolio: PORTFOLIO }, COMPANIES, account => {
      account.refused = new Set(['GB-3'])
    })
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0, portfolio: { added: 4, refused: 1 } })
    expect(state.portfolio!.refusals).toEqual([{ id: 'GB-3', why: 'no company GB-3' }])
    expect(state.issues).toMatchObject([{ code: 'FETTLE_PORTFOLIO_REFUSED', count: 1 }])
  })

  test('a portfolio that goes away meanwhile ends the stage and not five companies', async () => {
    const world = worldWith({ portfolio: PORTFOLIO })
    world.account.before = call => {
      if (call === 'addCompany') world.account.portfolios.length = 0
    }
    expect(await world.run()).toMatchObject({ finished: false, error: { code: 'FETTLE_PORTFOLIO' }, portfolio: { refused: 0 } })
  })

  test.each(['before', 'after'] as const)('the answer to its making lost %s it took effect: one portfolio', async when => {
    const world = worldWith({ portfolio: PORTFOLIO }, COMPANIES, account => {
      account.lose = { createPortfolio: when }
    })
    expect(await world.run()).toMatchObject({ finished: true, portfolio: { added: 5 } })
    expect(world.account.portfolios).toHaveLength(1)
  })

  test('no company was found: the portfolio is there, and empty', async () => {
    expect(await worldWith({ portfolio: PORTFOLIO }, []).run()).toMatchObject({ finished: true, portfolio: { id: 1, done: 0 } })
  })
})

describe('a portfolio kept in step', () => {
  const SYNC = { ...PORTFOLIO, sync: true as const }
  const REMOVE = { ...SYNC, remove: { max: null } }
  const withPortfolio = (ids: readonly string[]) => (account: FakeAccount) => {
    account.portfolios.push({ id: 8, name: 'Suppliers' })
    for (const id of ids) account.companies.set(id, 'old')
  }
  const ids = (world: World): string[] => [...world.account.companies.keys()].sort()
  const ALL = COMPANIES.map(({ id }) => id)

  test('has its rules before its companies, and a second run sends neither', async () => {
    const rules = { XX: [{ code: 103 }], GB: 'default' as const }
    const world = worldWith({ portfolio: { ...REMOVE, rules } })
    const state = await world.run()
    expect(state).toMatchObject({ status: 'success', portfolio: { rules: { XX: 1, GB: 1 }, added: 5, present: 0, done: 5 } })
    expect(world.account.rules.XX!.map(({ code, active }) => [code, active])).toEqual([
      [103, true],
      [104, false],
    ])
    const { calls } = world.account
    expect(calls.lastIndexOf('setRules')).toBeLessThan(calls.indexOf('sendCompanies'))
    expect(world.account.files).toEqual([{ kind: 'import', ids: ALL }])

    const next = worldWith({ portfolio: { ...REMOVE, rules } }, COMPANIES, withPortfolio([]))
    for (const { id, reference } of COMPANIES) next.account.companies.set(id, reference)
    next.account.rules = world.account.rules
    expect((await next.run()).portfolio).toMatchObject({ added: 0, present: 5, removed: 0 })
    expect(next.account.calls.filter(call => call === 'setRules' || call === 'sendCompanies')).toEqual([])
  })

  test('a rule that the service does not have ends the run before any company is added', async () => {
    const world = worldWith({ portfolio: { ...SYNC, rules: { XX: [{ code: 999 }] } } })
    const { error } = await world.run()
    expect(error).toMatchObject({ code: 'FETTLE_PORTFOLIO', hint: 'Choose from 103, 104.' })
    expect(world.account.companies.size).toBe(0)
  })

  test('what is gone is removed, and the texts of people stay', async () => {
    const world = worldWith({ portfolio: REMOVE }, COMPANIES, account => {
      withPortfolio(['GB-1', 'GB-2', 'GB-9'])(account)
      account.notes.set('GB-1', 'by hand')
    })
    const state = await world.run()
    expect(state).toMatchObject({ status: 'success', portfolio: { added: 3, present: 2, removed: 1 } })
    expect(ids(world)).toEqual(ALL)
    expect(world.account.files.map(({ kind, ids }) => [kind, ids.length])).toEqual([
      ['import', 3],
      ['sync', 5],
    ])
    expect(world.account.notes.get('GB-1')).toBe('by hand')
    expect(world.account.companies.get('GB-1')).toBe('ref 1')
  })

  test.each<[string, Partial<Plan>, string]>([
    ['more than the share allowed', { portfolio: { ...SYNC, remove: { max: 0.2 } } }, 'more than portfolio.remove.max (20%)'],
  ])('%s: nothing is removed, and a warning names the reason', async (_, change, why) => {
    const world = worldWith(change, COMPANIES, withPortfolio(['GB-1', 'GB-8', 'GB-9']))
    const state = await world.run()
    expect(state.issues.filter(({ code }) => code === 'FETTLE_PORTFOLIO_KEPT').map(({ message }) => message)).toEqual([
      `2 of the 3 companies of the portfolio are gone from the list and were not removed: ${why}`,
    ])
    expect(ids(world)).toEqual([...ALL, 'GB-8', 'GB-9'])
    expect(state.portfolio).toMatchObject({ added: 4, present: 1, removed: 0 })
  })

  test('a company that the file does not bring is added by itself, and its refusal reported', async () => {
    const world = worldWith({ portfolio: SYNC }, COMPANIES, account => {
      account.refused = new Set(['GB-3'])
    })
    expect(await world.run()).toMatchObject({ status: 'warn', portfolio: { added: 4, refused: 1, done: 5 } })
    expect(world.account.calls.filter(call => call === 'addCompany')).toHaveLength(1)
  })

  test('a service without these operations gets one request for each company', async () => {
    const world = worldWith({ portfolio: SYNC }, COMPANIES, account => {
      account.takesFiles = false
    })
    expect(await world.run()).toMatchObject({ status: 'success', portfolio: { takesFiles: false, added: 5, done: 5 } })
    expect(ids(world)).toEqual(ALL)
  })

  test('killed before and after every line of the journal: one portfolio, each company once, none lost, none that is gone', async () => {
    const rules = { XX: [{ code: 103 }] }
    const portfolio = { ...REMOVE, rules }
    const start = (): World =>
      worldWith({ portfolio }, COMPANIES, account => {
        account.refused = new Set(['GB-3'])
        account.companies.set('GB-9', 'old')
      })
    const whole = start()
    await whole.run()
    const lines = whole.journal.events.length
    let kills = 0
    for (let at = 0; at < lines; at++) {
      for (const when of ['before', 'after'] as const) {
        const world = start()
        world.journal.crash = { at, when }
        await world.run().catch(() => {})
        const next = resumed(world)
        const state = await next.run()
        kills++
        expect([at, when, state.finished, next.account.portfolios.length, ids(next)]).toEqual([
          ...[at, when, true, 1],
          ALL.filter(id => id !== 'GB-3'),
        ])
        expect(state.portfolio).toMatchObject({ done: 5, added: 4, removed: 1, refused: 1 })
      }
    }
    expect(kills).toBe(2 * lines)
  })
})

describe('screen', () => {
  const withHits = (account: FakeAccount): void => {
    account.hits = { 'Company 2': { SAN: 2, AM: 1 }, 'Company 4': { AM: 4 } }
  }

  test('makes one search for each company, and counts hits by dataset', async () => {
    const world = worldWith({ screen: SCREEN }, COMPANIES, withHits)
    const { screening, status } = await world.run()
    expect(status).toBe('success')
    expect(screening).toMatchObject({ done: 5, searches: 5, withHits: 2, hits: 7, refused: 0, openSince: null })
    expect(screening!.risks).toEqual({ SAN: { companies: 1, hits: 2 }, AM: { companies: 2, hits: 5 } })
    expect(screening!.found.map(({ id, hits }) => [id, hits])).toEqual([
      ['GB-4', 4],
      ['GB-2', 3],
    ])
    expect(world.account.searches.map(({ name }) => name)).toEqual(COMPANIES.map(({ name }) => name))
  })

  test('stops before the budget is exceeded: the run ends with 1, with the searches made and the outputs', async () => {
    const world = worldWith({ screen: { ...SCREEN, budget: 3 } })
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'fail', exitCode: 1, error: { code: 'FETTLE_BUDGET_SCREEN' } })
    expect(state.screening).toMatchObject({ done: 3, searches: 3 })
    expect(state.error!.message).toBe('3 of 5 companies screened: one more search would exceed screen.budget (3)')
    expect([world.account.searches.length, state.outputs.length]).toEqual([3, 1])
  })

  test('a budget that is just enough is enough', async () => {
    expect(await worldWith({ screen: { ...SCREEN, budget: 5 } }).run()).toMatchObject({ finished: true, status: 'success' })
  })

  test('reports a company that is refused or has no name, at no cost', async () => {
    const checks = [{ name: 'screened', warn: null, fail: { text: '< 100%', operator: '<', value: 1, unit: 'share' } }] as const
    const companies = [company(1), company(2, ''), company(3), company(4, '§ — !')]
    const world = worldWith({ screen: SCREEN, checks: [...checks] }, companies, account => {
      account.refused = new Set(['Company 3'])
    })
    const { screening, status, issues, checks: judged } = await world.run()
    expect([status, screening!.searches, screening!.refused]).toEqual(['fail', 1, 3])
    expect(screening).toMatchObject({ noName: 1, noLetter: 1 })
    expect(screening!.refusals.map(({ id }) => id)).toEqual(['GB-2', 'GB-3', 'GB-4'])
    expect(issues).toMatchObject([{ code: 'FETTLE_SCREEN_REFUSED', count: 3 }])
    const actual = '1 of 4 (25.0%): 1 refused by the service, 1 without a name, 1 with a name of no letter and no digit'
    expect(judged).toMatchObject([{ assertion: 'screened', success: false, actual }])
  })

  test('a name longer than a search may have is cut, not in the middle of a character', async () => {
    const world = worldWith({ screen: SCREEN }, [company(1, `${'x'.repeat(199)}😀y`)])
    await world.run()
    expect(world.account.searches[0]!.name).toBe('x'.repeat(199))
  })

  test('its answer lost after it took effect: found again, paid once', async () => {
    const world = worldWith({ screen: SCREEN }, COMPANIES, account => {
      account.lose = { startScreening: 'after' }
    })
    expect(await world.run()).toMatchObject({ finished: true, screening: { searches: 5 } })
    expect(world.account.searches).toHaveLength(5)
    expect(world.journal.of('screen.finished').map(({ adopted }) => adopted)).toEqual([true, false, false, false, false])
  })

  test('lost before it took effect: not repeated on a guess but left with 75, and made by the next process', async () => {
    const world = worldWith({ screen: SCREEN }, COMPANIES, account => {
      account.lose = { startScreening: 'before' }
    })
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    expect(world.account.searches).toHaveLength(0)
    const next = resumed(world)
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0, screening: { searches: 5 } })
    expect(next.account.searches).toHaveLength(5)
  })

  test('a search of the same name by an earlier run or for an earlier company is not taken for ours', async () => {
    const twins = [company(1, 'Bank AG'), company(2, 'Bank AG')]
    const world = worldWith({ screen: SCREEN }, twins, account => {
      account.skew = -3_600_000
      account.startScreening({ ...SCREEN, name: 'Bank AG' }, { look: async () => undefined, key: 'earlier' })
      account.skew = 0
      account.lose = { startScreening: 'before' }
    })
    expect(await world.run()).toMatchObject({ exitCode: 75 })
    const next = resumed(world)
    next.account.before = call => {
      if (call === 'startScreening' && next.account.searches.length === 2) next.account.lose = { startScreening: 'before' }
    }
    await next.run()
    const last = resumed(next)
    expect(await last.run()).toMatchObject({ finished: true, screening: { searches: 2 } })
    expect(last.account.searches).toHaveLength(3)
  })
})

describe('directors', () => {
  const PEOPLE = { ...SCREEN, people: 'directors' } as const
  const director = (at: number, person: string, born = '') => ({ ...company(at), person, born })
  /** Two companies have one of them, and one company none. */
  const DIRECTORS = [
    director(1, 'Ann Holt', '1980'),
    director(1, 'Bo Ek'),
    director(2, 'Ann Holt', '1980'),
    director(2, 'ann holt', '1944'),
    director(3, 'Nominee Holdings Limited'),
  ]
  const FOUND = [1, 2, 3, 4].map(at => ({ ...company(at), directors: DIRECTORS.filter(({ row }) => row === at).length }))
  const CHECKS: Plan['checks'] = [
    { name: 'screened', warn: null, fail: { text: '< 100%', operator: '<', value: 1, unit: 'share' } },
    { name: 'hits', warn: { text: '> 0', operator: '>', value: 0, unit: 'rows' }, fail: null },
  ]
  const worldOfPeople = (change: Partial<Plan> = {}, prepare = (_: FakeAccount) => {}): World => {
    const world = worldWith({ screen: PEOPLE, ...change }, FOUND, prepare)
    world.results.directors = DIRECTORS
    return world
  }
  const searched = ({ account }: World) => account.searches.slice(4).map(({ name, person }) => [name, person?.born ?? null])

  test('each is searched for once, by name and date of birth, a company as a business, and counted for each of its companies', async () => {
    const world = worldOfPeople({ checks: CHECKS }, account => {
      account.hits = { 'Ann Holt': { SAN: 1 } }
    })
    const { screening, checks } = await world.run()
    expect(searched(world)).toEqual([
      ['Ann Holt', '1980'],
      ['Bo Ek', ''],
      ['ann holt', '1944'],
      ['Nominee Holdings Limited', null],
    ])
    expect(screening).toMatchObject({ done: 9, searches: 8, hits: 2, withHits: 0, risks: { SAN: { companies: 2, hits: 2 } } })
    expect(screening!.directors).toMatchObject({ searches: 4, shared: 1, withHits: 2, none: 1, incomplete: 0 })
    expect(checks.map(({ actual }) => actual)).toEqual([
      '3 of 4 (75.0%): 1 without a known director',
      '2 hits: 1 without a known director',
    ])
  })

  test('one whom the service refuses leaves the company incomplete, with a warning that names no director as a company', async () => {
    const world = worldOfPeople({ checks: CHECKS }, account => {
      account.refused = new Set(['Bo Ek', 'Nominee Holdings Limited'])
    })
    const { screening, checks, issues } = await world.run()
    expect(screening).toMatchObject({ refused: 0, directors: { refused: 2, incomplete: 2 } })
    expect(checks.map(({ success, actual }) => [success, actual])).toEqual([
      [false, '1 of 4 (25.0%): 1 without a known director, 2 with a director who was not searched for'],
      [false, 'unknown: 1 without a known director, 2 with a director who was not searched for'],
    ])
    expect(issues).toMatchObject([
      { code: 'FETTLE_SCREEN_REFUSED', count: 2, message: expect.stringContaining('2 of the companies and directors') },
    ])
  })

  test('a budget counts their searches as well, and what it stops is not reached', async () => {
    const world = worldOfPeople({ checks: CHECKS, screen: { ...PEOPLE, budget: 5 } })
    const { error, checks } = await world.run()
    expect(error!.message).toBe('5 of 9 companies and directors screened: one more search would exceed screen.budget (5)')
    expect(checks[0]!.actual).toMatch(/^0 of 4 \(0.0%\): 1 without a known director, 4 directors not reached$/)
  })

  test('a process that ends before or after any append: one search for each company and each director', async () => {
    const points = await crashAfterOutputs(worldOfPeople, (state, world, where) => {
      expect(state, where).toMatchObject({ finished: true, screening: { searches: 8, done: 9, directors: { shared: 1 } } })
      expect(searched(world as World), where).toHaveLength(4)
    })
    expect(points).toBeGreaterThan(30)
  })
})

describe('archive', () => {
  const AFTER = { after: 'archive' } as const

  test('archives every job once, after all other stages', async () => {
    const world = worldWith({ ...AFTER, portfolio: PORTFOLIO, parts: [0, 5].map(from => ({ from, rows: 5 })) })
    world.service.summary = null
    const state = await world.run()
    expect([state.status, state.stages.at(-1)?.name]).toEqual(['success', 'archive'])
    expect(world.service.jobs.map(({ archives }) => archives)).toEqual([1, 1])
    expect(world.service.calls.slice(-4)).toEqual(['readJob', 'archive', 'readJob', 'archive'])
  })

  test('sends nothing for a job that is archived already', async () => {
    const world = worldWith(AFTER)
    world.service.before = (call, options) => {
      if (options?.stage === 'archive' && call === 'readJob') world.service.only.archives = 1
    }
    expect(await world.run()).toMatchObject({ status: 'success' })
    expect(world.service.calls.at(-1)).toBe('readJob')
  })

  test.each([
    ['refuses it', refusal('no such operation', 405)],
    ['has it no more', new FettleError('FETTLE_NOT_FOUND', 'no job', { status: 404 })],
    ['does not allow it', new FettleError('FETTLE_FORBIDDEN', 'no permission', { status: 403 })],
  ])('a job whose service %s is a warning: the results stand', async (_, error) => {
    const world = worldWith(AFTER)
    world.service.before = call => {
      if (call === 'archive') throw error
    }
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0, issues: [{ code: 'FETTLE_ARCHIVE' }] })
  })

  test('leaves a job alone that has the id of ours and another name', async () => {
    const world = worldWith(AFTER)
    world.service.after = call => {
      if (call === 'openEnrichedFile') Object.assign(world.service.only, { name: 'of another user' })
    }
    const { issues } = await world.run()
    expect(issues.map(({ message }) => message)).toEqual([expect.stringContaining('is called "of another user"')])
    expect(world.service.only.archives).toBe(0)
  })

  test('a service that is away pauses the run, and the next process archives the job', async () => {
    const world = worldWith(AFTER)
    world.service.before = call => {
      if (call === 'archive') throw new FettleError('FETTLE_NETWORK', 'gone')
    }
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 75 })
    const next = resumed(world)
    next.service.before = () => {}
    expect(await next.run()).toMatchObject({ finished: true, status: 'success' })
    expect(next.service.only.archives).toBe(1)
  })

  test('does not happen to the job of a run that failed', async () => {
    const world = worldWith({ ...AFTER, budget: { rows: null, credits: 1 } })
    expect(await world.run()).toMatchObject({ finished: true, status: 'fail' })
    expect(world.service.only.archives).toBe(0)
  })
})

test('a process that ends before or after any append: one portfolio, one search for each company, one archived job', async () => {
  const make = () => worldWith({ portfolio: PORTFOLIO, screen: SCREEN, after: 'archive' })
  const points = await crashAfterOutputs(make, (state, { account, service }, where) => {
    expect(state, where).toMatchObject({
      finished: true,
      status: 'success',
      screening: { searches: 5, done: 5 },
    })
    expect([account.portfolios.length, account.companies.size, account.searches.length]).toEqual([1, 5, 5])
    expect(service.only.archives).toBe(1)
  })
  expect(points).toBeGreaterThan(30)
})

test('a refusal for want of rights stops the run, which can go on', async () => {
  const world = worldWith({ portfolio: PORTFOLIO })
  world.account.before = call => {
    if (call === 'addCompany') throw new FettleError('FETTLE_FORBIDDEN', 'no right', { status: 403 })
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 77 })
  expect(await resumed(world).run()).toMatchObject({ finished: true, portfolio: { added: 5 } })
})
