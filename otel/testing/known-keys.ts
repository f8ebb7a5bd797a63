/**
 * Refuses what an assertion does not know. Frameworks run tests without a check of types, and with a misspelled key an
 * assertion would hold that nobody wrote.
 *
 * @param given arguments of the assertion.
 * @param known the names that it has.
 * @param what the names are, for the message, such as `a part of a filter`.
 * @throws {TypeError} that names the unknown one, and those that are known.
 */
export function requireKnown(given: Iterable<string>, known: ReadonlySet<string>, what: string): void {
  for (const name of given)
    if (!known.has(name))
      throw new TypeError(`${JSON.stringify(name)} is not ${what}: known are ${[...known].join(", ")}`)
}
