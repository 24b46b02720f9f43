// Text whose contrast with what is behind it is below the 4.5 of WCAG AA.
;(() => {
  const parse = text => (text.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = colour =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
      const part = (colour[i] ?? 0) / 255
      return sum + weight * (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    }, 0)
  const behind = element => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor)
      if (colour.length === 3 || colour[3] > 0) return colour
    }
    return [255, 255, 255]
  }
  const weak = []
  for (const element of document.querySelectorAll('body *:not(title)')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue
    const style = getComputedStyle(element)
    const front = luminance(parse(element instanceof SVGElement ? style.fill : style.color))
    const back = luminance(behind(element))
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
    if (contrast < 4.5) weak.push(`${contrast.toFixed(2)} ${element.tagName} ${element.textContent}`)
  }
  return weak
})()
