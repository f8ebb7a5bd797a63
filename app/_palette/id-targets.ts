export interface Target {
  readonly href: string
  readonly label: string
}

const ID = /^[\da-f]{32}$/
/** The header that carries a trace, which people copy whole. */
const TRACEPARENT = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/

/** Where an id that was pasted may lead: with or without dashes, or as a `traceparent` header. A trace and an error have ids of one form. */
export function idTargets(text: string): Target[] {
  const word = text.trim().toLowerCase()
  const [, traceId, spanId] = TRACEPARENT.exec(word) ?? []
  if (traceId !== undefined) return [{ href: `/traces/${traceId}?span=${spanId}`, label: `Open the span ${spanId}` }]
  const id = word.replaceAll("-", "")
  if (!ID.test(id)) return []
  return [
    { href: `/traces/${id}`, label: `Open the trace ${id}` },
    { href: `/errors/${id}`, label: `Open the error ${id}` },
  ]
}
