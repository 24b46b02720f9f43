/** The script of the report page: the desk for rows to review, and buttons that copy commands and ids. Without it the page is readable. */
import type { PageData } from '../src/report/html/data.ts'
import { Choices } from './choices.ts'
import { openDesk } from './desk.ts'
import { byId, h } from './dom.ts'
import { makeDraggable } from './histogram.ts'
import { unpack } from './rows.ts'

const BUCKETS = 20

const data = byId('rows')
const slot = byId('desk')
if (data !== null && slot !== null) {
  const rows = unpack(JSON.parse(data.textContent ?? '') as PageData)
  document.body.classList.add('desked')
  slot.hidden = false
  const desk = openDesk(slot, rows, new Choices(rows.run, rows.list))
  const histogram = document.querySelector<SVGSVGElement>('svg.histogram')
  if (histogram !== null) makeDraggable(histogram, BUCKETS, desk.scores)
}

for (const element of document.querySelectorAll<HTMLElement>('[data-copy]')) {
  const button = h('button', { type: 'button', class: 'copy' }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(element.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(element)
    }
  })
  element.after(button)
}
