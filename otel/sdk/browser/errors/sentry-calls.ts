import type { Client, Event, EventHint } from "@sentry/core"
import { processState } from "../../process-state.ts"
import type { PageError } from "./page-errors.ts"

/** What an app's own use of Sentry's SDK in pages means for what Pagespan sends. Set where the app imports that SDK. */
export interface SentryCalls {
  /** Whether the client of the app's own `Sentry.init` sends the error of a page. */
  take(error: Pick<PageError, "thrown" | "mechanism">): boolean
  /** Adds the user, tags and contexts that the app has set to an event of Pagespan's client, and to an error its breadcrumbs. */
  addTo(event: Event, hint: EventHint): Event
  /** Pagespan's client is loaded. */
  connect(client: Client): void
}

/** Each bundle of a page, and each chunk of the tracer, finds it here. */
export const sentryCalls = processState<SentryCalls>("sentry-calls")
