/** Digits in groups: the same on the server and in every browser, whatever its language. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US")
}

/** `1 span`, `1,200 spans`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
