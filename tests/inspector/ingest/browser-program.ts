import * as Sentry from "@sentry/browser"

/** A page with Sentry's SDK. Its address says where the handlers are: `dsn`, and `spotlight` as the SDK's own copy of it all. */
const told = new URLSearchParams(location.search)
const dsn = told.get("dsn") ?? ""
const sidecarUrl = told.get("spotlight") ?? ""

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
