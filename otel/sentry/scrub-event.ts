import type { Event } from "@sentry/core"
import { scrubAddress } from "./scrub.ts"

/** An error event as it leaves: its texts without queries and credentials, as the span says them on which it happened. */
export function scrubEvent(event: Event): Event {
  if (event.type !== undefined) return event
  const { message, exception } = event
  return {
    ...event,
    ...(message === undefined ? {} : { message: scrubAddress(message) }),
    ...(exception?.values === undefined ? {} : { exception: { ...exception, values: exception.values.map(scrubbed) } }),
  }
}

type Exception = NonNullable<NonNullable<Event["exception"]>["values"]>[number]

function scrubbed(exception: Exception): Exception {
  return exception.value === undefined ? exception : { ...exception, value: scrubAddress(exception.value) }
}
