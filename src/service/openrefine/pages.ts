/** Renders a company as a small page and as a fragment, without scripts or further requests, all texts escaped. */
import { asHtml } from '../docs/docs-page.ts'
import type { Company } from '../matching/index.ts'
import { PROPERTIES } from './properties.ts'

const rowsOf = (company: Company): string =>
  Object.entries(PROPERTIES)
    .filter(([id]) => id !== 'name')
    .map(
      ([, { name, values }]) =>
        [
          name,
          values(company)
            .filter(text => text !== '')
            .join(', '),
        ] as const,
    )
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `<tr><th>${asHtml(name)}<td>${asHtml(text)}`)
    .join('')

const STYLE =
  ':root{color-scheme:light dark}body{font:13px/1.4 system-ui,sans-serif;margin:8px}h1{font-size:15px;margin:0 0 6px}th{text-align:left;font-weight:400;opacity:.7;padding-right:12px;vertical-align:top}td,th{overflow-wrap:anywhere}'

/** Allows only the page's own style, and framing by clients on this machine. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors http://127.0.0.1:* http://localhost:* http://[::1]:*"

export const previewPage = (company: Company): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${asHtml(company.name)}</title><style>${STYLE}</style><h1>${asHtml(company.name)}</h1><table>${rowsOf(company)}</table></html>\n`

export const flyout = (title: string, text: string): string => `<p><b>${asHtml(title)}</b></p><p>${asHtml(text)}</p>`
