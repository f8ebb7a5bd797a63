import { sessionAddress } from "#app/sessions/session-address.ts"
import { quoteIfNeeded } from "#otel/inspector/queries/filters.ts"

export interface Target {
  readonly href: string
  readonly label: string
}

const ID = /^[\da-f]{32}$/
/** The W3C `traceparent` header. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/

const SPAN_ID = /^[\da-f]{16}$/
/** The screens that a copied address can lead to. */
const SCREENS: ReadonlySet<string> = new Set([
  "traces",
  "errors",
  "logs",
  "routes",
  "runs",
  "services",
  "sessions",
  "compare",
  "dropped",
  "connect",
  "filters",
])

/** A session by its id, which an app may choose as it likes. */
const SESSION = /^session(?:\.id)?[:= ]\s*(\S{1,200})$/i
/** As many apps write the id of a session. */
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/**
 * Targets for what was pasted: an id, with or without dashes, a `traceparent` header, `session:` and an id, or the address
 * of a screen, of this inspector or another. Trace, issue, event and session ids have the same format.
 */
export function idTargets(text: string): Target[] {
  const word = text.trim().toLowerCase()
  const [, traceId, spanId] = TRACEPARENT.exec(word) ?? []
  if (traceId !== undefined) return [{ href: `/traces/${traceId}?span=${spanId}`, label: `Open span ${spanId}` }]
  if (SPAN_ID.test(word))
    return [{ href: `/traces?q=${encodeURIComponent(`span:${word}`)}`, label: `Find span ${word}` }]
  const [, sessionId] = SESSION.exec(text.trim()) ?? []
  if (sessionId !== undefined) return [sessionTarget(sessionId)]
  const id = word.replaceAll("-", "")
  if (!ID.test(id)) return addressTargets(text.trim())
  return [
    { href: `/traces/${id}`, label: `Open trace ${id}` },
    { href: `/errors/${id}`, label: `Open error or event ${id}` },
    // An id with dashes is another session than the same without.
    sessionTarget(UUID.test(word) ? text.trim() : id),
  ]
}

function sessionTarget(sessionId: string): Target {
  return { href: sessionAddress(sessionId), label: `Open session ${sessionId}` }
}

function addressTargets(text: string): Target[] {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return []
  const { pathname, search } = new URL(text)
  const [, screen = ""] = pathname.split("/", 2)
  return SCREENS.has(screen) ? [{ href: pathname + search, label: `Open ${pathname}` }] : []
}

/** A search of the traces for any text: names, services and values of attributes. Of an address its path. */
export function searchTarget(text: string): Target | undefined {
  const words = text.trim()
  if (words === "") return undefined
  const isAddress = /^https?:\/\//i.test(words) && URL.canParse(words)
  const found = isAddress ? new URL(words).pathname : words
  return { href: `/traces?q=${encodeURIComponent(quoteIfNeeded(found))}`, label: `Find traces with “${found}”` }
}
