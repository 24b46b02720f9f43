/** The service's face: re-exports only. */
export type { Log } from './app.ts'
export { addUser, listUsers, type NewUser, removeUser, type UserInfo } from './auth/manage.ts'
export type { Login } from './auth/users.ts'
export type { Clock } from './clock.ts'
export type { Limits } from './limits.ts'
export type { OpenRegister } from './routes/context.ts'
export { type ServeOptions, serve } from './serve.ts'
export type { Service } from './start.ts'
