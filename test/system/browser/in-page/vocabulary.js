// Every kind of element and attribute in the page.
;(() => {
  const all = [...document.querySelectorAll('*')]
  const tags = [...new Set(all.map(element => element.tagName.toLowerCase()))]
  const attributes = [...new Set(all.flatMap(element => element.getAttributeNames()))]
  return { tags, attributes }
})()
