/**
 * The registers of a running service. When one was imported again, all are opened again and replaced at once: search, match, reports,
 * data cleaning and monitoring always read the same import.
 */
import type { Engine } from './engine.ts'
import type { Officers } from './officers.ts'
import { makeSearch, type Search } from './search.ts'

/** An opened register, as `GET /health` and `serve` report it. */
export interface OpenRegister {
  readonly name: string
  readonly companies: number
  /** Date of the data, `2026-01-31`. */
  readonly snapshotDate: string
  /** Digest of what rows are matched against. */
  readonly sha256: string
}

/** Registers that were opened together. */
export interface OpenedRegisters {
  readonly engine: Engine
  readonly officers: Officers
  readonly registers: readonly OpenRegister[]
  /** Whether a part of the index could not be read. */
  readonly isDamaged?: () => boolean
  /** Ends the threads of the engine. */
  readonly close?: () => Promise<void>
}

/** Opens the registers again; null while no newer import exists. */
export type Reopen = () => Promise<OpenedRegisters | null>

type Held = OpenedRegisters & { readonly search: Search; users: number; isReplaced: boolean }

async function release(held: Held): Promise<void> {
  if (!held.isReplaced || held.users > 0) return
  held.officers.close()
  await held.close?.()
}

function replace(held: Held): Promise<void> {
  held.isReplaced = true
  return release(held)
}

/** The officers of the moment of each call. */
const currentOfficers = (now: () => Officers): Officers => ({
  get size() {
    return now().size
  },
  ofCompany: connectId => now().ofCompany(connectId),
  ofPerson: peopleId => now().ofPerson(peopleId),
  bySurname: (lastName, most) => now().bySurname(lastName, most),
  first: most => now().first(most),
  close: () => now().close(),
})

/** `adapt` is applied to every engine. */
export function makeCurrent(
  first: OpenedRegisters,
  reopen: Reopen = async () => null,
  adapt: (engine: Engine) => Engine = engine => engine,
) {
  const hold = (opened: OpenedRegisters): Held => {
    const engine = adapt(opened.engine)
    return { ...opened, engine, search: makeSearch(engine), users: 0, isReplaced: false }
  }
  let held = hold(first)
  const refresh = async (): Promise<void> => {
    const fresh = await reopen()
    if (fresh === null) return
    const before = held
    held = hold(fresh)
    await replace(before)
  }
  /**
   * Passes `work` an engine, its registers and their officers, which stay the same, and open, until the work has ended. Work that a damaged index ended
   * is done again with the index that is built in its place.
   */
  const using = async <T>(
    work: (engine: Engine, registers: readonly OpenRegister[], officers: Officers) => Promise<T>,
  ): Promise<T> => {
    const own = held
    own.users++
    try {
      return await work(own.engine, own.registers, own.officers)
    } catch (error) {
      if (own.isDamaged?.() !== true) throw error
      if (held === own) await refresh()
      if (held === own) throw error
    } finally {
      own.users--
      await release(own)
    }
    return using(work)
  }
  const engine: Engine = {
    match: (...given) => held.engine.match(...given),
    rowEvidence: query => held.engine.rowEvidence(query),
    absentEvidence: (query, at) => held.engine.absentEvidence(query, at),
    at: position => held.engine.at(position),
    registerOf: position => held.engine.registerOf(position),
    find: connectId => held.engine.find(connectId),
    get size() {
      return held.engine.size
    },
    get registers() {
      return held.engine.registers
    },
    get countries() {
      return held.engine.countries
    },
  }
  const officers = currentOfficers(() => held.officers)
  const search: Search = {
    find: id => held.search.find(id),
    byStart: (...given) => held.search.byStart(...given),
    byCountry: (...given) => held.search.byCountry(...given),
  }
  return {
    /** The engine of this moment at each call: positions are valid until the next `await` only. */
    engine,
    officers,
    search,
    registers: () => held.registers,
    using,
    /** Replaces the registers if one was imported again, or its index is damaged. On an error the earlier ones stay. */
    refresh,
    close: () => replace(held),
  }
}

export type CurrentRegisters = ReturnType<typeof makeCurrent>
