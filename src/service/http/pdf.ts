/** Renders headings and rows as a PDF, in a font with Latin, Greek and Cyrillic letters. Its packages are optional: most services never render one. */
import { createRequire } from 'node:module'
import { installCommand } from '../../package-file.ts'
import { Refusal } from '../refusal.ts'

export type PdfSection = { readonly heading: string; readonly rows: readonly (readonly [string, string])[] }

const REGULAR = 'regular'
const BOLD = 'bold'

const MARGIN = 50
const LABEL_WIDTH = 150
const GAP = 4
const [TITLE_SIZE, HEADING_SIZE, TEXT_SIZE] = [16, 11, 9]
const INK = '#1a1a1a'
const FAINT = '#666666'

/** Sixty characters without a blank. The library takes quadratic time to break longer runs. */
const LONG_RUN = /\S{60}(?=\S)/g

/** Replaces control characters except line feeds, and inserts zero-width spaces into long words so that they can break. */
const clean = (text: string): string =>
  text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ').replaceAll(LONG_RUN, '$&\u200b')

const FONTS = ['dejavu-fonts-ttf/ttf/DejaVuSans.ttf', 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf']

const loadPackages = async () => {
  const { resolve } = createRequire(import.meta.url)
  const [regularFile, boldFile] = FONTS.map(name => resolve(name)) as [string, string]
  return { PdfDocument: (await import('pdfkit')).default, regularFile, boldFile }
}

/** Whether the packages are installed: what requirePdf loads. */
export function hasPdf({ resolve }: Pick<NodeJS.Require, 'resolve'> = createRequire(import.meta.url)): boolean {
  try {
    return ['pdfkit', ...FONTS].every(name => resolve(name) !== '')
  } catch {
    return false
  }
}

/** Loads what PDFs need. Throws a 501 with the install command when it is not installed. */
export async function requirePdf(load = loadPackages): ReturnType<typeof loadPackages> {
  try {
    return await load()
  } catch {
    const install = `install them beside fettle: ${installCommand('pdfkit', 'dejavu-fonts-ttf')}`
    const why = `its optional packages pdfkit and dejavu-fonts-ttf are not installed; ${install}`
    throw new Refusal(501, 'This service cannot write PDFs', why)
  }
}

/** Throws as requirePdf does. */
export async function renderPdf(title: string, sections: readonly PdfSection[]): Promise<Buffer> {
  const { PdfDocument, regularFile, boldFile } = await requirePdf()
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
  document.registerFont(BOLD, boldFile)
  document.font(BOLD).fontSize(TITLE_SIZE).fillColor(INK).text(clean(title))
  for (const { heading, rows } of sections) {
    // Keeps a heading together with its first rows.
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
      // For a value longer than a page, the library has already advanced.
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
    // Text below the margin would start a new page.
    document.page.margins.bottom = 0
    document
      .font(REGULAR)
      .fontSize(TEXT_SIZE - 1)
      .fillColor(FAINT)
      .text(`${page + 1} / ${count}`, MARGIN, document.page.height - MARGIN + 2 * GAP, { align: 'right' })
  }
}
