import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { PAGE_QUEUE_SPAN_LIMIT } from "../../../protocol/limits.ts"
import { processState } from "../../process-state.ts"

/** As many pages as Sentry's SDK keeps breadcrumbs. */
const PATH_LIMIT = 100

/** Paths with secrets that the router has shown, and the same without them. */
function knownPaths(): Map<string, string> {
  return (processState<Map<string, string>>("secret-paths").value ??= new Map())
}

/** Redacts the paths in a text that only the router knows to have secrets. */
export function withoutSecretPaths(text: string): string {
  let redacted = text
  for (const [path, shown] of knownPaths()) redacted = redacted.replaceAll(path, () => shown)
  return redacted
}

/**
 * Redacts the path of a page in the spans of its root. Behind a rewrite only the router knows the route, and with it the secrets
 * of the path: spans that began before it showed the page are redacted then, unless they have left the page. Part of a page only
 * where a route of the app has secrets.
 */
export class SecretPath {
  /** Spans that began before the route was known, which ends it; the newest, where they are more than a page queues. */
  #early: ReadableSpan[] | undefined

  /** A root begins, or goes to another page than before. */
  begin(root: ReadableSpan): void {
    this.#early = [root]
  }

  started(span: ReadableSpan): void {
    redact(span)
    if (this.#early !== undefined && this.#early.push(span) > PAGE_QUEUE_SPAN_LIMIT) this.#early.shift()
  }

  /**
   * The router shows the page.
   *
   * @param path as the browser has it.
   * @param redacted the same without secrets.
   */
  shown(path: string, redacted: string): void {
    const known = knownPaths()
    if (path !== redacted) known.set(path, redacted)
    const [oldest = ""] = known.keys()
    if (known.size > PATH_LIMIT) known.delete(oldest)
    this.#early?.forEach(redact)
    this.#early = undefined
  }
}

function redact({ attributes }: ReadableSpan): void {
  for (const [key, value] of Object.entries(attributes))
    if (typeof value === "string") attributes[key] = withoutSecretPaths(value)
}
