// Puts a script, an image and a style sheet into the page; gives the directives that refused them.
;(async () => {
  const seen = []
  document.addEventListener('securitypolicyviolation', event => seen.push(event.effectiveDirective))
  const script = document.createElement('script')
  script.textContent = 'window.owned = 1'
  const image = document.createElement('img')
  image.src = 'http://127.0.0.1:9/x.png'
  const style = document.createElement('style')
  style.textContent = 'body { margin-top: 99px }'
  document.body.append(script, image, style)
  await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  return seen
})()
