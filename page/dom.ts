/** Creates elements. All text is escaped and added as text; markup cannot be passed. */
import { plain } from '../src/report/formats/escape.ts'

interface Props {
  readonly [attribute: string]: string | number | boolean | null | ((event: Event) => void)
}

type Child = Node | string | null

/** Functions are listeners, true is an attribute without a value, false and null are omitted. */
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

export const byId = (id: string): HTMLElement | null => document.getElementById(id)
