import type { Client, Event, EventHint } from "@sentry/core"
import type { MaybePromise } from "../../sentry/error-processor.ts"
import type { ErrorMechanism } from "./page-errors.ts"

/**
 * What an app's own use of Sentry's SDK in pages means for what Pagespan sends: the value of `processState("sentry-calls")`, which is
 * set where the app imports that SDK.
 */
export interface SentryCalls {
  /** Whether the client of the app's own `Sentry.init` sends the error of a page. */
  take(thrown: unknown, mechanism: ErrorMechanism): boolean
  /** Whether an error stands for a message or an event that the app captured by hand: then no span has it as an exception. */
  isMessage(thrown: unknown): boolean
  /**
   * Called when Pagespan's client is loaded, whose transactions then get the user, tags and contexts that the app has set.
   *
   * @returns what adds the same to an error, and its breadcrumbs. `null` if an event processor of the app drops it.
   */
  connect(client: Client): (event: Event, hint: EventHint) => MaybePromise<Event | null>
}
