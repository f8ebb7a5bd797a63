/** A navigation commits sooner than this, in milliseconds, or has failed. */
const LIMIT_MS = 30_000

let left: { readonly from: string; readonly at: number } | undefined

/** Notes that the router leaves for another page. @param url of that page, as Next gives it: a path with its query. */
export function startLeaving(url: string): void {
  const isOther = new URL(url, location.href).href !== location.href
  left = isOther ? { from: location.href, at: performance.now() } : undefined
}

/** Whether the router has left for another page and still shows this one. */
export function isLeaving(): boolean {
  return left !== undefined && left.from === location.href && performance.now() - left.at < LIMIT_MS
}
