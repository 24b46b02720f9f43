/** Selects a range of scores by dragging over the histogram, or one column by a click. */

/** The keyboard alternative is the order by score with the keys j and k. */
export function makeDraggable(svg: SVGSVGElement, buckets: number, onRange: (from: number, to: number) => void): void {
  const band = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  band.setAttribute('class', 'band')
  band.setAttribute('y', '0')
  band.setAttribute('height', '100%')
  let start: number | null = null
  const at = (event: PointerEvent): number => {
    const { left, width } = svg.getBoundingClientRect()
    return Math.max(0, Math.min(buckets - 1, Math.floor(((event.clientX - left) / width) * buckets)))
  }
  const ends = (event: PointerEvent): [number, number] => {
    const end = at(event)
    return [Math.min(start ?? end, end) / buckets, (Math.max(start ?? end, end) + 1) / buckets]
  }
  const draw = (event: PointerEvent): void => {
    const [from, to] = ends(event)
    band.setAttribute('x', `${from * 100}%`)
    band.setAttribute('width', `${(to - from) * 100}%`)
  }
  svg.classList.add('draggable')
  svg.addEventListener('pointerdown', event => {
    start = at(event)
    svg.setPointerCapture(event.pointerId)
    svg.append(band)
    draw(event)
    event.preventDefault()
  })
  svg.addEventListener('pointermove', event => {
    if (start !== null) draw(event)
  })
  const end = (event: PointerEvent): void => {
    if (start === null) return
    const [from, to] = ends(event)
    start = null
    band.remove()
    if (event.type === 'pointerup') onRange(from, to)
  }
  svg.addEventListener('pointerup', end)
  svg.addEventListener('pointercancel', end)
}
