import { safely } from "../../protocol/safely.ts"

/** Attribute of an `exception` event that links the server's error to the error that the page shows. */
export const ERROR_DIGEST = "error.digest"

/** Next's digest of an error, if it has one. Never throws, though a thrown value may be a proxy or have throwing getters. */
export function digestOf(thrown: unknown): string | undefined {
  return safely(() => {
    const { digest } = thrown as { readonly digest?: unknown }
    return typeof digest === "string" && digest !== "" ? digest : undefined
  })
}

/** A thrown value as text, or its type if it cannot be converted, such as an object without a prototype. Never throws. */
export function textOf(thrown: unknown): string {
  return safely(
    () => String(thrown),
    () => typeof thrown,
  )
}
