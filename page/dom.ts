/** Elements in one call. Text reaches the page as text and cleaned, whoever wrote it; there is no way to hand in markup. */
import { plain } from '../src/report/formats/escape.ts'

/** What an element may be given besides its children. */
interface Props {
  readonly [attribute: string]: string | number | boolean | null | ((event: Event) => void)
}

type Child = Node | string | null

/** An element; functions are listeners, true is an attribute without a value, false and null are none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value !== false && value !== null) element.setAttribute(name, value === true ? '' : plain(String(value)))
  }
  for (const child of children) if (child !== null) element.append(typeof child === 'string' ? plain(child) : child)
  return element
}

/** The element of this id that the page was written with. */
export const byId = (id: string): HTMLElement | null => document.getElementById(id)
