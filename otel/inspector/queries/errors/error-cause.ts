import type { ErrorEvent } from "../../../protocol/records/error.ts"

/**
 * Finds the server's error behind an error in the page. In production React replaces a server error's message by a digest,
 * which Next also adds to the server's error. The digest joins the two, or else their trace does.
 *
 * @see https://nextjs.org/docs/app/api-reference/file-conventions/error (`error.digest`)
 */

const DIGEST = /["']?\bdigest["']?\s*[:=]\s*["']?([\w@-]{1,64})/
/** React's replacement for the server's message in production. */
const REDACTED = "An error occurred in the Server Components render"
const NEXT_SERVER = "auto.function.nextjs.on_request_error"

/** The digest in an event's tags, context or texts. */
export function digestOfEvent({ tags, context, value, exceptions }: ErrorEvent): string | undefined {
  const tag = tags.get("digest") ?? tags.get("error.digest") ?? tags.get("next.digest")
  if (typeof tag === "string" && tag !== "") return tag
  const texts = [context, value, ...exceptions.map((exception) => exception.value)]
  return texts.map((text) => DIGEST.exec(text)?.[1]).find((digest) => digest !== undefined)
}

export interface ServerCause {
  readonly event: ErrorEvent
  /** What the two events share. */
  readonly by: "digest" | "trace"
}

/** The server's error behind the event, among the errors of its trace; `undefined` for an event of the server itself. */
export function serverCause(event: ErrorEvent, ofTrace: readonly ErrorEvent[]): ServerCause | undefined {
  if (isServerEvent(event)) return undefined
  const others = ofTrace.filter(
    (other) => other.eventId !== event.eventId && (isServerEvent(other) || other.service !== event.service),
  )
  const digest = digestOfEvent(event)
  const sameDigest = digest === undefined ? undefined : others.find((other) => digestOfEvent(other) === digest)
  if (sameDigest !== undefined) return { event: sameDigest, by: "digest" }
  const isEcho = digest !== undefined || event.value.startsWith(REDACTED)
  const [first] = others
  return isEcho && first !== undefined ? { event: first, by: "trace" } : undefined
}

function isServerEvent({ exceptions, context }: ErrorEvent): boolean {
  return (
    exceptions.some(({ mechanism }) => mechanism?.type === NEXT_SERVER) ||
    context.includes('"runtime":{"name":"node"') ||
    context.includes('"nextjs":{')
  )
}
