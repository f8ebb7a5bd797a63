/**
 * Whether a version is at least another one.
 *
 * @param version a version, or a range of versions. What it leaves open is taken as the newest.
 * @param first numbers of the least version that is accepted, the major one first.
 *
 * @example isSince("16.2.4", [16, 3]) // false
 */
export function isSince(version: string, first: readonly number[]): boolean {
  const numbers = /\d+(?:\.\d+)*/.exec(version)?.[0].split(".") ?? []
  for (const [index, least] of first.entries()) {
    const number = Number(numbers[index] ?? Infinity)
    if (number !== least) return number > least
  }
  return true
}
