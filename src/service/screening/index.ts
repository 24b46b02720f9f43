/** Import and description of screening lists. */
export { LISTING_CODES, type ListingCode } from './entry.ts'
export type { ListChanges } from './lists/changes.ts'
export { readCode } from './lists/csv.ts'
export { importList, LIST_KINDS, type ListInfo, type ListKind, readList, readLists, removeList } from './lists/import.ts'
