/**
 * The document around every page: policy, style sheet and footer. The policy allows only the style sheet and the script, by digest,
 * so that even an escaping mistake could not run or load anything.
 */
import type { Report } from '../schema.ts'
import { html, type Markup } from './markup.ts'
import { SCRIPT_SHA256 } from './script.ts'
import { STYLE_SHA256, styleElement } from './style.ts'

export function shell(
  { title, tool, hasScript }: { readonly title: string; readonly tool: Report['metadata']['tool']; readonly hasScript: boolean },
  body: Markup,
): string {
  const script = hasScript ? `'sha256-${SCRIPT_SHA256}'` : "'none'"
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_SHA256}'; script-src ${script}; base-uri 'none'; form-action 'none'`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${tool.name} ${tool.version}">
<title>${title}</title>
${styleElement}
</head>
<body>
<a class="skip" href="#main">To the numbers</a>
${body}
<footer><p>Written by ${tool.name} ${tool.version}. Self-contained: no network access.</p></footer>
</body>
</html>
`.text
}
