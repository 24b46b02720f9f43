/** Text inside HTML. It knows no page. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The text as it may stand between tags and inside quotes. */
export const asHtml = (text: string): string => text.replace(/[&<>"']/g, char => ENTITIES[char] ?? '')
