/** The script of the report page: the desks for rows, hits and pairs to decide, and buttons that copy commands and ids. Without it the page is readable. */
import { type Kind, openDesk } from './desk.ts'
import { byId, h } from './dom.ts'
import { makeDraggable } from './histogram.ts'
import { hitKind } from './hits.ts'
import { pairKind } from './pairs.ts'
import { rowKind } from './row-kind.ts'

const BUCKETS = 20

/** Opens the desk of the data in one element in another. */
function open<Data>(from: string, into: string, kindOf: (data: Data) => Kind): ReturnType<typeof openDesk> | null {
  const [data, slot] = [byId(from), byId(into)]
  if (data === null || slot === null) return null
  document.body.classList.add('desked')
  slot.hidden = false
  return openDesk(slot, kindOf(JSON.parse(data.textContent ?? '')))
}

const desk = open('rows', 'desk', rowKind)
const histogram = document.querySelector<SVGSVGElement>('svg.histogram')
if (desk !== null && histogram !== null) makeDraggable(histogram, BUCKETS, desk.scores)
open('hits-data', 'hitdesk', hitKind)
open('pairs-data', 'desk', pairKind)

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
