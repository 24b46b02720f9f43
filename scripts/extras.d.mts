export function installExtras(...groups: readonly string[]): void
