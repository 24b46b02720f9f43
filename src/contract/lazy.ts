/** Schemas that are built when they are first used: building those of all operations takes longer than a run of 20 rows. */
import { z } from 'zod'

/**
 * Looks like the schema that `build` returns, and builds it when the first of its members is read. Only for maps and lists: zod looks
 * up wrappers such as `optional()` by identity when it writes a JSON schema.
 */
export function lazy<T extends z.ZodObject | z.ZodArray>(build: () => T): T {
  let built: T | undefined
  const schema = (): T => {
    if (built === undefined) {
      built = build()
      const meta = built.meta()
      if (meta !== undefined) z.globalRegistry.add(proxy, meta)
    }
    return built
  }
  const proxy = new Proxy({} as T, {
    // The methods of zod refer to this object, so that a schema that is used several times is one in a JSON schema, too.
    get: (_, member, self) => Reflect.get(schema(), member, self),
    has: (_, member) => Reflect.has(schema(), member),
    defineProperty: (_, member, descriptor) => Reflect.defineProperty(schema(), member, descriptor),
  })
  return proxy
}
