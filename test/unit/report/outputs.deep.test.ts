/** Whole Markdown documents of hostile text, many of them; a few are in outputs.test.ts. */
import { test } from 'vitest'
import { judgeMarkdown } from './whole-markdown.ts'

test('Markdown: the elements match the same report of plain words, in number and order', () => judgeMarkdown(100))
