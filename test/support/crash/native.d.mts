export function load<T>(url: string): Promise<T>
