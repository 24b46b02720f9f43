/** The public exports of fettle/service. */

export { readRates } from './auth/throttle.ts'
export { addUser, type Login, listUsers, type NewUser, removeUser, type UserInfo } from './auth/users.ts'
export { type BackupInfo, type BackupOptions, backup } from './backup/backup.ts'
export type { Clock } from './clock.ts'
export type { Limits } from './limits.ts'
export type { PlayName } from './plays.ts'
export type { OpenRegister } from './registers/current.ts'
export { type ServeOptions, serve } from './serve.ts'
export type { Service } from './server.ts'
export type { Log } from './start-options.ts'
