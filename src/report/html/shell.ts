/**
 * What every page is: a document with its policy, its style sheet and its foot, and room for what it shows. Its policy allows its
 * own style sheet and its own script by digest and nothing else, so even a mistake in escaping could not run or load anything.
 */
import type { Report } from '../schema.ts'
import { html, type Markup } from './markup.ts'
import { SCRIPT_SHA256 } from './script.ts'
import { STYLE_SHA256, styleElement } from './style.ts'

/** What a page needs besides what it shows. */
interface Shell {
  readonly title: string
  readonly tool: Report['metadata']['tool']
  /** Whether the page carries the script. */
  readonly hasScript: boolean
}

/** A whole page. */
export function shell({ title, tool, hasScript }: Shell, body: Markup): string {
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
<footer><p>Written by ${tool.name} ${tool.version}. This page holds all it shows: it loads nothing and sends nothing.</p></footer>
</body>
</html>
`.text
}
