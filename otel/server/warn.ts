/** One line in the server's log, for whoever set the app up. Never in a page. */
export function warn(line: string): void {
  // oxlint-disable-next-line no-console -- there is no other place where it would be found
  console.warn(`pagespan: ${line}`)
}
