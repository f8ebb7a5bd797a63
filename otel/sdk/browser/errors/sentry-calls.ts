import type { Client, Event, EventHint } from "@sentry/core"
import type { ErrorMechanism } from "./page-errors.ts"

/**
 * What an app's own use of Sentry's SDK in pages means for what Pagespan sends: the value of `processState("sentry-calls")`, which is
 * set where the app imports that SDK.
 */
export interface SentryCalls {
  /** Whether the client of the app's own `Sentry.init` sends the error of a page. */
  take(thrown: unknown, mechanism: ErrorMechanism): boolean
  /** Adds to an error of Pagespan's client what the app has set: user, tags, contexts and breadcrumbs. */
  addTo(event: Event, hint: EventHint): Event
  /** Pagespan's client is loaded. Its transactions get the same, without breadcrumbs. */
  connect(client: Client): void
}
