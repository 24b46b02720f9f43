/**
 * Titled key/value text as a PDF: the one place that knows how a PDF is made. It knows nothing of what is printed. The fonts that
 * every reader has hold Western European letters only; others are transliterated.
 */
import { toLatin } from './matching/latin.ts'

/** One section of a document. */
export interface PdfSection {
  readonly title: string
  /** Key and value, in order; a value may have several lines. */
  readonly rows: readonly (readonly [string, string])[]
}

/** What is printed. */
export interface PdfDocument {
  readonly title: string
  /** A line below the title. */
  readonly subtitle: string
  readonly sections: readonly PdfSection[]
  /** When it was made, in milliseconds since 1970. */
  readonly at: number
}

const MARGIN = 50
const KEY_WIDTH = 150
const GAP = 4
const PLAIN = 'Helvetica'
const BOLD = 'Helvetica-Bold'

/** Makes the PDF, A4, with the number of each page at its foot. */
export async function makePdf({ title, subtitle, sections, at }: PdfDocument): Promise<Buffer> {
  // Loaded when the first document is asked for: most services print none.
  const { default: Pdf } = await import('pdfkit')
  const date = new Date(at)
  const pdf = new Pdf({
    size: 'A4',
    margin: MARGIN,
    bufferPages: true,
    info: { Title: toLatin(title), Producer: 'fettle', Creator: 'fettle', CreationDate: date, ModDate: date },
  })
  const chunks: Buffer[] = []
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve)
    pdf.on('error', reject)
  })
  const bottom = pdf.page.height - MARGIN - GAP
  const valueWidth = pdf.page.width - 2 * MARGIN - KEY_WIDTH

  pdf.font(BOLD).fontSize(18).text(toLatin(title))
  pdf.font(PLAIN).fontSize(9).text(toLatin(subtitle))
  for (const section of sections) {
    pdf.moveDown()
    if (pdf.y > bottom - 3 * MARGIN) pdf.addPage()
    pdf.font(BOLD).fontSize(12).text(toLatin(section.title), MARGIN).moveDown(0.3)
    pdf.fontSize(9)
    for (const [key, value] of section.rows) {
      const [name, told] = [toLatin(key), value.split('\n').map(toLatin).join('\n')]
      const height = Math.max(
        pdf.font(BOLD).heightOfString(name, { width: KEY_WIDTH - GAP }),
        pdf.font(PLAIN).heightOfString(told, { width: valueWidth }),
      )
      if (pdf.y + Math.min(height, bottom - MARGIN) > bottom) pdf.addPage()
      const { count: pages } = pdf.bufferedPageRange()
      const top = pdf.y
      pdf.font(BOLD).text(name, MARGIN, top, { width: KEY_WIDTH - GAP })
      pdf.font(PLAIN).text(told, MARGIN + KEY_WIDTH, top, { width: valueWidth })
      // A value longer than a page ends on another one: there it goes on below its end.
      if (pdf.bufferedPageRange().count === pages) pdf.y = top + height
      pdf.y += GAP
    }
  }
  const { start, count } = pdf.bufferedPageRange()
  for (let page = start; page < start + count; page++) {
    pdf.switchToPage(page)
    pdf.page.margins.bottom = 0
    pdf.fontSize(8).text(`${page - start + 1} / ${count}`, MARGIN, pdf.page.height - MARGIN / 2, { lineBreak: false })
  }
  pdf.end()
  await ended
  return Buffer.concat(chunks)
}
