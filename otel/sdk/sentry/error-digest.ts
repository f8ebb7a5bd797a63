/** Attribute of an `exception` event by which the server's error and what a page shows of it are known as one. */
export const ERROR_DIGEST = "error.digest"

/** Next's digest of an error, where it has one. */
export function digestOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("digest" in thrown)) return undefined
  return typeof thrown.digest === "string" && thrown.digest !== "" ? thrown.digest : undefined
}
