/**
 * Every secret that Pagespan's configuration can contain. The tests build the inspector with these variables set, so that a
 * secret which a build copies into its output is found there.
 */
export const CANARIES: Readonly<Record<string, string>> = {
  SENTRY_DSN: "https://canarykey7f3a@sentry.canary7f3a.example/1",
  SENTRY_AUTH_TOKEN: "canary-auth-7f3a",
  CLICKHOUSE_URL: "https://canary:canarypassword7f3a@store.canary7f3a.example",
  PAGESPAN_TOKEN: "canary-token-7f3a-7f3a",
  PAGESPAN_FORWARD_SENTRY: "https://canaryforward7f3a@sentry.canary7f3a.example/2",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=canary-header-7f3a",
  CANARY_7F3A: "canary-of-nobody-7f3a",
}

/** Matches every canary, in any case. */
export const CANARY = /canary[\w-]*7f3a/i
