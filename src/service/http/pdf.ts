/** A document of headings and rows as a PDF, in a font that has Latin, Greek, Cyrillic and more. It knows nothing of what it says. */
import { createRequire } from 'node:module'

/** A heading with rows of label and value. */
export interface PdfSection {
  readonly heading: string
  readonly rows: readonly (readonly [string, string])[]
}

const REGULAR = 'regular'
const BOLD = 'bold'

const MARGIN = 50
const LABEL_WIDTH = 150
const GAP = 4
const [TITLE_SIZE, HEADING_SIZE, TEXT_SIZE] = [16, 11, 9]
const INK = '#1a1a1a'
const FAINT = '#666666'

/** Sixty characters without a blank; the library's own breaking of a longer run takes time by its square. */
const LONG_RUN = /\S{60}(?=\S)/g

/** A text as a page can show it: no control characters but the line feed, and places to break (of no width) in endless words. */
const clean = (text: string): string =>
  text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ').replaceAll(LONG_RUN, '$&\u200b')

/** The PDF of a title and its sections; long ones go on over as many pages as they need. */
export async function pdfOf(title: string, sections: readonly PdfSection[]): Promise<Buffer> {
  // Loaded when the first document is asked for: most services print none.
  const { default: PdfDocument } = await import('pdfkit')
  const { resolve } = createRequire(import.meta.url)
  const regularFile = resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')
  const document = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    font: regularFile,
    bufferPages: true,
    info: { Title: clean(title), Producer: 'fettle' },
  })
  const done = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    document.on('data', (chunk: Buffer) => chunks.push(chunk))
    document.on('end', () => resolve(Buffer.concat(chunks)))
    document.on('error', reject)
  })
  const valueWidth = document.page.width - 2 * MARGIN - LABEL_WIDTH - GAP
  const bottom = document.page.height - MARGIN

  document.registerFont(REGULAR, regularFile)
  document.registerFont(BOLD, resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'))
  document.font(BOLD).fontSize(TITLE_SIZE).fillColor(INK).text(clean(title))
  for (const { heading, rows } of sections) {
    // A heading does not stand alone at the end of a page.
    if (document.y + 4 * HEADING_SIZE > bottom) document.addPage()
    document.moveDown().font(BOLD).fontSize(HEADING_SIZE).fillColor(INK).text(clean(heading), MARGIN)
    document.font(REGULAR).fontSize(TEXT_SIZE)
    for (const [label, value] of rows) {
      const height = Math.max(
        document.heightOfString(clean(label), { width: LABEL_WIDTH }),
        document.heightOfString(clean(value), { width: valueWidth }),
      )
      if (document.y + height + GAP > bottom && height < bottom - MARGIN) document.addPage()
      const top = document.y + GAP
      document.fillColor(FAINT).text(clean(label), MARGIN, top, { width: LABEL_WIDTH })
      const pages = document.bufferedPageRange().count
      document.fillColor(INK).text(clean(value), MARGIN + LABEL_WIDTH + GAP, top, { width: valueWidth })
      // A value longer than a page has moved on by itself.
      if (document.bufferedPageRange().count === pages) document.y = top + height
    }
  }
  numberPages(document)
  document.end()
  return done
}

function numberPages(document: PDFKit.PDFDocument): void {
  const { count } = document.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    document.switchToPage(page)
    // Below the margin text would begin a new page.
    document.page.margins.bottom = 0
    document
      .font(REGULAR)
      .fontSize(TEXT_SIZE - 1)
      .fillColor(FAINT)
      .text(`${page + 1} / ${count}`, MARGIN, document.page.height - MARGIN + 2 * GAP, { align: 'right' })
  }
}
