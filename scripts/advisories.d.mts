interface Part {
  readonly name: string
  readonly version: string
}
interface Advisory {
  readonly name: string
  readonly range: string
  readonly id: string
  readonly what: string
}
export function findAffected(parts: readonly Part[], known: readonly Advisory[]): string[]
