import type { ErrorEvent } from "../../../protocol/records/error.ts"

/**
 * An error in the page that is only the echo of one on the server: React replaces the server's message by a digest, which
 * Next gave to the server's own record. The two are joined by that digest, or else by their trace.
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/error (`error.digest`)
 */

const DIGEST = /["']?\bdigest["']?\s*[:=]\s*["']?([\w@-]{1,64})/
/** What React says in production in place of the server's message. */
const REDACTED = "An error occurred in the Server Components render"
const NEXT_SERVER = "auto.function.nextjs.on_request_error"

/** The digest that an event names anywhere: tag, context, extra or text. */
export function digestOfEvent({ tags, context, value, exceptions }: ErrorEvent): string | undefined {
  const tag = tags.get("digest") ?? tags.get("error.digest") ?? tags.get("next.digest")
  if (typeof tag === "string" && tag !== "") return tag
  const texts = [context, value, ...exceptions.map((exception) => exception.value)]
  return texts.map((text) => DIGEST.exec(text)?.[1]).find((digest) => digest !== undefined)
}

export interface ServerCause {
  readonly event: ErrorEvent
  /** What joins the two. */
  readonly by: "digest" | "trace"
}

/** The server's error behind this one, among those of its trace; `undefined` where it is none, or is itself the server's. */
export function serverCause(event: ErrorEvent, ofTrace: readonly ErrorEvent[]): ServerCause | undefined {
  if (isServers(event)) return undefined
  const others = ofTrace.filter(
    (other) => other.eventId !== event.eventId && (isServers(other) || other.service !== event.service),
  )
  const digest = digestOfEvent(event)
  const sameDigest = digest === undefined ? undefined : others.find((other) => digestOfEvent(other) === digest)
  if (sameDigest !== undefined) return { event: sameDigest, by: "digest" }
  const isEcho = digest !== undefined || event.value.startsWith(REDACTED)
  const [first] = others
  return isEcho && first !== undefined ? { event: first, by: "trace" } : undefined
}

function isServers({ exceptions, context }: ErrorEvent): boolean {
  return (
    exceptions.some(({ mechanism }) => mechanism?.type === NEXT_SERVER) ||
    context.includes('"runtime":{"name":"node"') ||
    context.includes('"nextjs":{')
  )
}
