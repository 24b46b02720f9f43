/** The manifest of the reconciliation interface. */
import { COMPANY } from './properties.ts'

const PREVIEW = { width: 420, height: 280 } as const

/** `base` is the address of the interface as the client reaches it, `version` that of fettle. */
export function manifestOf(base: string, version: string): Record<string, unknown> {
  const suggest = (what: string) => ({
    service_url: base,
    service_path: `/suggest/${what}`,
    flyout_service_url: base,
    flyout_service_path: `/flyout/${what}?id=\${id}`,
  })
  return {
    versions: ['0.2'],
    name: 'fettle companies',
    // Names instead of addresses: ids stay the same when a register moves to another machine.
    identifierSpace: 'urn:fettle:connectId',
    schemaSpace: 'urn:fettle:property',
    documentation: new URL('/docs', base).href,
    serviceVersion: version,
    defaultTypes: [COMPANY],
    view: { url: `${base}/preview?id={{id}}` },
    preview: { url: `${base}/preview?id={{id}}`, ...PREVIEW },
    suggest: { entity: suggest('entity'), property: suggest('property'), type: suggest('type') },
    extend: { propose_properties: { service_url: base, service_path: '/properties' }, property_settings: [] },
  }
}
