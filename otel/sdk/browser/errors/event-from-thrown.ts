import { defaultStackParser, exceptionFromError } from "@sentry/browser"
import {
  addExceptionMechanism,
  type Event,
  extractExceptionKeysForMessage,
  isError,
  isErrorEvent,
  isEvent,
  isPlainObject,
  normalizeToSize,
} from "@sentry/core"
import { redactObject } from "../../sentry/sanitize-attributes.ts"

/**
 * Builds an event from anything that was thrown, as Sentry's `eventFromException` does. That function looks for a current client,
 * which brings all of Sentry's scopes into a page that has none (docs/decisions/0005).
 */
export function eventFromThrown(thrown: unknown): Event {
  const error: unknown = (isErrorEvent(thrown) && (thrown as globalThis.ErrorEvent).error) || thrown
  const event: Event = isError(error)
    ? { exception: { values: [exceptionFromError(defaultStackParser, error)] } }
    : isPlainObject(error) || isEvent(error)
      ? fromObject(error)
      : fromPrimitive(String(error))
  // `synthetic`: the event says more than what was thrown.
  addExceptionMechanism(event, isError(error) ? undefined : { synthetic: true })
  return { ...event, level: "error" }
}

function fromObject(thrown: object): Event {
  const cause = Object.values(thrown).find(isError)
  const exception =
    cause === undefined
      ? { type: isEvent(thrown) ? thrown.constructor.name : "Error", value: describe(thrown) }
      : exceptionFromError(defaultStackParser, cause)
  return { exception: { values: [exception] }, extra: { __serialized__: redactObject(normalizeToSize(thrown)) } }
}

function fromPrimitive(message: string): Event {
  return { message, exception: { values: [{ type: "Error", value: message }] } }
}

function describe(thrown: object): string {
  if (isErrorEvent(thrown))
    return `Event \`ErrorEvent\` captured as exception with message \`${(thrown as globalThis.ErrorEvent).message}\``
  if (isEvent(thrown)) return `Event \`${thrown.constructor.name}\` (type=${thrown.type}) captured as exception`
  return `Object captured as exception with keys: ${extractExceptionKeysForMessage(thrown as Record<string, unknown>)}`
}
