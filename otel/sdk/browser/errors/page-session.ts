import { breadcrumbsIntegration, browserSessionIntegration } from "@sentry/browser"
import { type Client, type Event, getIsolationScope, type Session, updateSession } from "@sentry/core"

/** An option of version 10 of Sentry's SDK, which records the console too. */
const WITHOUT_CONSOLE: object = { console: false }

let isRecording = false

/**
 * Records a Sentry session and breadcrumbs (clicks, keys, requests, history) in a page that uses Sentry's SDK without a
 * `Sentry.init`, with Sentry's own integrations. An error that nothing caught makes it a crashed session.
 *
 * @param calls the client that Sentry's functions call.
 * @param pageClient Pagespan's client, which sends the errors and the session.
 */
export function recordSession(calls: Client, pageClient: Client): void {
  // Last: an event that a filter or `beforeSend` drops is none of the session's errors.
  pageClient.addEventProcessor((event) => {
    if (event.type === undefined) addError(calls, event)
    return event
  })
  if (isRecording) return
  isRecording = true
  for (const integration of [breadcrumbsIntegration(WITHOUT_CONSOLE), browserSessionIntegration()]) {
    integration.setupOnce?.()
    integration.setup?.(calls)
  }
}

/** As Sentry's client does: the first error is sent, and a crash. */
function addError(calls: Client, event: Event): void {
  const session = getIsolationScope().getSession()
  if (session === undefined || session.status !== "ok") return
  const isCrash = event.exception?.values?.some(({ mechanism }) => mechanism?.handled === false) ?? false
  if (!isCrash && (session.errors > 0 || event.exception === undefined)) return
  updateSession(session, { errors: session.errors || 1, ...(isCrash && { status: "crashed" }) })
  calls.captureSession(session)
}

/** Sends a session, which Sentry accepts only with a release. */
export function sendSession(session: Session, client: Client): void {
  const { release, environment = "production" } = client.getOptions()
  if (release === undefined) return
  session.release ??= release
  session.environment ??= environment
  const sdk = client.getSdkMetadata()?.sdk
  const header = { sent_at: new Date().toISOString(), ...(sdk && { sdk: { name: sdk.name, version: sdk.version } }) }
  // The transport counts what fails. The types differ between versions of Sentry's SDK; the envelope does not.
  const envelope = [header, [[{ type: "session" }, session.toJSON()]]] as unknown
  client.sendEnvelope(envelope as Parameters<Client["sendEnvelope"]>[0]).then(undefined, () => undefined)
  updateSession(session, { init: false })
}
