import type { Event } from "@sentry/core"
import type { ErrorFacts } from "../model/filters.ts"
import { digestOf } from "./error-digest.ts"

/** What filters may look at, taken from the event that the Sentry client made and from what was thrown. */
export function errorFacts(event: Event, thrown: unknown, side: ErrorFacts["side"]): ErrorFacts {
  const exception = event.exception?.values?.at(-1)
  const frames = exception?.stacktrace?.frames ?? []
  return {
    side,
    type: exception?.type ?? "",
    message: exception?.value ?? event.message ?? "",
    digest: digestOf(thrown),
    scripts: frames
      .map((frame) => frame.filename ?? "")
      .filter((name) => name !== "")
      .toReversed(),
  }
}
