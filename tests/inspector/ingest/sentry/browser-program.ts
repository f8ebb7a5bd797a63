import * as Sentry from "@sentry/browser"

/** A page with Sentry's SDK. Parameters of its URL: `dsn`, and `spotlight`, the URL of the sidecar. */
const parameters = new URLSearchParams(location.search)
const dsn = parameters.get("dsn") ?? ""
const sidecarUrl = parameters.get("spotlight") ?? ""

Sentry.init({
  dsn,
  environment: "test",
  tracesSampleRate: 1,
  integrations: sidecarUrl === "" ? [] : [Sentry.spotlightBrowserIntegration({ sidecarUrl })],
})

Sentry.startSpan({ name: "checkout", op: "task" }, () => {
  Sentry.captureException(new TypeError(`no such cart in ${location.hostname}`))
})
void Sentry.flush(5_000).then(() => (document.title = "sent"))
