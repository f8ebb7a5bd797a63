import { EXCEPTION_TEXT_LIMIT } from "../../../protocol/limits.ts"

/**
 * The message or the stack of an error for an exception event, at most `EXCEPTION_TEXT_LIMIT` characters of it. It ends with a
 * whole word: redaction would not recognise half of a secret. A value of another type, which an app may have set, stays as it is.
 */
export function exceptionText<Text>(text: Text): Text | string {
  if (typeof text !== "string" || text.length <= EXCEPTION_TEXT_LIMIT) return text
  return text.slice(0, text.lastIndexOf(" ", EXCEPTION_TEXT_LIMIT - 1) + 1)
}
