import { safely } from "../safely.ts"

/** Attribute of an `exception` event by which the server's error and what a page shows of it are known as one. */
export const ERROR_DIGEST = "error.digest"

/** Next's digest of an error, where it has one. What is thrown may have getters that throw, or be a proxy. */
export function digestOf(thrown: unknown): string | undefined {
  return safely<string | undefined>(
    () => {
      if (typeof thrown !== "object" || thrown === null || !("digest" in thrown)) return undefined
      const { digest } = thrown
      return typeof digest === "string" && digest !== "" ? digest : undefined
    },
    () => undefined,
  )
}

/** What is thrown as text. Not everything has one: an object without prototype, a getter that throws. */
export function textOf(thrown: unknown): string {
  return safely(
    () => String(thrown),
    () => typeof thrown,
  )
}
