import {
  type Client,
  type Event,
  type EventHint,
  getCombinedScopeData,
  getIsolationScope,
  type Scope,
  type ScopeData,
  type Session,
  type SeverityLevel,
} from "@sentry/core"
import { loadOwn } from "../own-scripts.ts"
import { currentPage } from "../page.ts"
import type * as PageSession from "./page-session.ts"

/** What the app has captured, until the page's client sends it. */
interface Capture {
  readonly scope: ScopeData
  /** Replaces the fields that the page's client read from the error. */
  readonly event: Fields
}

type Fields = { readonly [Name in keyof Event]: Event[Name] | undefined }

/** By the error that stands for it. */
const captures = new WeakMap<object, Capture>()

/** What the app captured with this error, if it did. */
export function captureOf(thrown: unknown): Capture | undefined {
  return typeof thrown === "object" && thrown !== null ? captures.get(thrown) : undefined
}

/** Whether an error is not what the app captured, and only stands for it. */
export function isMessage(thrown: unknown): boolean {
  return "exception" in (captureOf(thrown)?.event ?? {})
}

function capture(thrown: unknown, event: Fields, hint: EventHint | undefined, scope: Scope): void {
  // A primitive value cannot be looked up.
  const error = typeof thrown === "object" && thrown !== null ? thrown : new Error(String(thrown))
  const own = hint?.captureContext === undefined ? scope : scope.clone().update(hint.captureContext)
  const event_id = event.event_id ?? hint?.event_id
  captures.set(error, {
    scope: getCombinedScopeData(getIsolationScope(), own),
    event: event_id === undefined ? event : { ...event, event_id },
  })
  currentPage()?.reportError(error)
}

interface PageCalls {
  /** As much of a Sentry client as scopes and the SDK's functions call. */
  readonly client: Client
  /** From now on a session and breadcrumbs are recorded, and the session is sent by the page's client. */
  connect(client: Client): void
}

/** What Sentry's functions call in a page without `Sentry.init`: it captures errors, messages, events, and sessions. */
export function pageCalls(): PageCalls {
  let recorder: Promise<typeof PageSession> | undefined
  let connected: Client | undefined
  const calls = {
    getOptions: () => connected?.getOptions() ?? {},
    captureException: (thrown: unknown, hint: EventHint | undefined, scope: Scope) => capture(thrown, {}, hint, scope),
    captureMessage: (message: string, level: SeverityLevel = "info", hint: EventHint | undefined, scope: Scope) =>
      capture(String(message), { exception: undefined, message, level }, hint, scope),
    // An error stands for it, of which nothing is sent. The error's own text keeps it from being the one before.
    captureEvent: (event: Event, hint: EventHint | undefined, scope: Scope) =>
      capture(event.message || `Event ${hint?.event_id}`, { exception: undefined, ...event }, hint, scope),
    captureSession: (session: Session) =>
      void recorder?.then(({ sendSession }) => connected !== undefined && sendSession(session, connected)),
    flush: async () => true,
    close: async () => true,
  }
  const client = new Proxy(calls, { get: (target, name) => Reflect.get(target, name) ?? nothing }) as unknown as Client
  return {
    client,
    connect: (pageClient) => {
      connected = pageClient
      recorder ??= loadOwn(() => import("./page-session.ts"))
      // Without the chunk errors are sent as before.
      recorder.then(({ recordSession }) => recordSession(client, pageClient)).catch(nothing)
    },
  }
}

/** The SDK's other functions ask a client for hooks and integrations, and need none of them. */
function nothing(): void {}
