import type { Event, EventHint } from "@sentry/core"

/** Adds to an error event what the app has set with Sentry's SDK: its user, tags and breadcrumbs. */
export type AddScopes = (event: Event, hint: EventHint) => Event

// On the global object: the chunk with Sentry's API sets it, and the chunk with the page's client reads it.
const SCOPES = Symbol.for("pagespan.error-scopes")
const globals = globalThis as { [SCOPES]?: AddScopes }

export function setErrorScopes(add: AddScopes): void {
  globals[SCOPES] = add
}

/** Adds nothing in a page whose app does not use Sentry's SDK. */
export const addErrorScopes: AddScopes = (event, hint) => globals[SCOPES]?.(event, hint) ?? event
