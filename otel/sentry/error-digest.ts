/** Next's digest of an error, where it has one. */
export function digestOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("digest" in thrown)) return undefined
  return typeof thrown.digest === "string" && thrown.digest !== "" ? thrown.digest : undefined
}
