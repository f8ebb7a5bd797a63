export interface Target {
  readonly href: string
  readonly label: string
}

const ID = /^[\da-f]{32}$/
/** The W3C `traceparent` header. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/

/** Targets for a pasted id, with or without dashes, or a `traceparent` header. Trace and issue ids have the same format. */
export function idTargets(text: string): Target[] {
  const word = text.trim().toLowerCase()
  const [, traceId, spanId] = TRACEPARENT.exec(word) ?? []
  if (traceId !== undefined) return [{ href: `/traces/${traceId}?span=${spanId}`, label: `Open span ${spanId}` }]
  const id = word.replaceAll("-", "")
  if (!ID.test(id)) return []
  return [
    { href: `/traces/${id}`, label: `Open trace ${id}` },
    { href: `/errors/${id}`, label: `Open error ${id}` },
  ]
}
