/**
 * What a document shows, without what differs between two builds of one app: scripts, hashed addresses, ids of `useId` and forms,
 * ids of server actions (but not their order), and the elements that tracing adds. Runs in a page.
 *
 * @param html the HTML of a response. Default: the document of the page as it is now.
 */
export function shown(html: string | undefined): string {
  const root =
    html === undefined
      ? (document.documentElement.cloneNode(true) as Element)
      : new DOMParser().parseFromString(html, "text/html").documentElement
  const links = ["preload", "stylesheet", "modulepreload", "preconnect", "dns-prefetch", "expect"]
  const metas = ["traceparent", "sentry-trace", "baggage", "pagespan", "next-size-adjust"]
  const left = ["script", "style", "template", "next-route-announcer", "nextjs-portal"]
  const selectors = [
    ...left,
    ...links.map((rel) => `link[rel="${rel}"]`),
    ...metas.map((name) => `meta[name="${name}"]`),
  ]
  for (const element of root.querySelectorAll(selectors.join())) element.remove()
  const comments = document.createNodeIterator(root, NodeFilter.SHOW_COMMENT)
  for (let node = comments.nextNode(); node !== null; node = comments.nextNode()) (node as Comment).remove()
  root.normalize()
  // Webpack hashes the app's directory into the id of a server action.
  const actions = new Set<string>()
  return root.outerHTML
    .replaceAll(/_[Rr]_\w*_/g, "_id_")
    .replaceAll(/(name="\$ACTION_KEY" value=")\w+/g, "$1…")
    .replaceAll(
      /(?<=\$ACTION_ID_|&quot;id&quot;:&quot;)[\da-f]{42}/g,
      (id) => `action ${[...actions.add(id)].indexOf(id)}`,
    )
    .replaceAll(/\/_next\/static\/[^"'\s)]*/g, "/_next/static/…")
    .replaceAll(/\?dpl=[^"&]*/g, "")
    .replaceAll(/\b[SBP]:\w+/g, "_stream_")
    .replaceAll(/>\s*</g, ">\n<")
}
