/** Instructions for one SDK. */
export interface Recipe {
  readonly title: string
  readonly steps: readonly { readonly text: string; readonly code: string }[]
}

/** Where OTLP is sent. */
export interface OtlpTarget {
  readonly address: string
  /** Whether ingest requires a token, which is sent as a header. */
  readonly hasToken: boolean
}

/** The value that a reader replaces by that of `PAGESPAN_TOKEN`. */
const TOKEN = "YOUR_TOKEN"
export const BEARER = `Bearer ${TOKEN}`
export const TOKEN_VARIABLE = `OTEL_EXPORTER_OTLP_HEADERS="authorization=${BEARER}"`

/** The variables with which an SDK sends to the target, without the endpoint where the SDK's default is already right. */
export function exporterVariables({ address, hasToken }: OtlpTarget, isDefault: boolean): string {
  const endpoint = isDefault ? [] : [`OTEL_EXPORTER_OTLP_ENDPOINT=${address}`]
  const variables = [...endpoint, ...(hasToken ? [TOKEN_VARIABLE] : [])]
  return variables.map((variable) => `${variable} \\\n`).join("")
}

/** The four edits of a Next.js app. */
export function pagespanRecipe(target: OtlpTarget): Recipe {
  return {
    title: "Next.js with Pagespan",
    steps: [
      { text: "Install", code: "npm install pagespan" },
      { text: "Make all edits with one command, which shows them first", code: "npx pagespan init" },
      {
        text: "Or edit by hand: next.config.ts",
        code: `import { withPagespan } from "pagespan/next"

export default withPagespan({
  // your Next.js configuration
})`,
      },
      { text: "instrumentation.ts", code: `export { register, onRequestError } from "pagespan/server"` },
      {
        text: "app/layout.tsx",
        code: `import { Suspense } from "react"
import { RouteObserver } from "pagespan/react"

// in <body>:
<Suspense fallback={null}>
  <RouteObserver />
</Suspense>`,
      },
      {
        text: "app/monitoring/route.ts, the tunnel on your own origin",
        code: `export { POST } from "pagespan/tunnel"`,
      },
      { text: "Run", code: `${exporterVariables(target, false)}OTEL_SERVICE_NAME=my-app npx next dev` },
    ],
  }
}

/** For sites that must ask before they measure. */
export const CONSENT_RECIPE: Recipe = {
  title: "With the consent of visitors",
  steps: [
    {
      text: "next.config.ts: record, store and send nothing before a visitor agrees",
      code: `export default withPagespan(nextConfig, { consent: "required" })`,
    },
    {
      text: "app/consent.tsx, an element for your layout. Pagespan does not store the answer: call grantConsent() on each page load",
      code: `"use client"
import { grantConsent, withdrawConsent } from "pagespan/react"

export function Consent() {
  return (
    <p>
      May this site measure how fast its pages are?{" "}
      <button type="button" onClick={grantConsent}>Agree</button>{" "}
      <button type="button" onClick={withdrawConsent}>Withdraw</button>
    </p>
  )
}`,
    },
  ],
}

/** One span as OTLP/JSON. The shell generates ids and times, so that each run creates a new trace. */
export function curlRecipe({ address, hasToken }: OtlpTarget): Recipe {
  return {
    title: "One span with curl",
    steps: [
      {
        text: "Paste into a shell",
        code: `curl ${address}/v1/traces -H "content-type: application/json"${hasToken ? ` -H "authorization: ${BEARER}"` : ""} --data @- <<JSON
{"resourceSpans": [{
  "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "shell"}}]},
  "scopeSpans": [{"spans": [{
    "traceId": "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')",
    "spanId": "$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')",
    "name": "hello from the shell", "kind": 1,
    "startTimeUnixNano": "$(($(date +%s) - 1))000000000",
    "endTimeUnixNano": "$(date +%s)000000000"
  }]}]
}]}
JSON`,
      },
    ],
  }
}

/** Spotlight's default port. */
const SPOTLIGHT_PORT = 8_969

/** The token is sent as the key of the DSN. */
export interface SentryTarget extends OtlpTarget {
  /** Port of the Spotlight endpoint; `undefined` when it is off. */
  readonly spotlightPort: number | undefined
}

/** Sentry SDKs, through the DSN or Spotlight. */
export function sentryRecipes({ address, spotlightPort, hasToken }: SentryTarget): Recipe[] {
  const [protocol = "", host = ""] = address.split("://")
  const dsn = `${protocol}://${hasToken ? TOKEN : "any"}@${host}/1`
  const byDsn: Recipe = {
    title: "Sentry SDK, with a DSN",
    steps: [
      {
        text: hasToken
          ? "Use the value of PAGESPAN_TOKEN as the key. Any project ID works."
          : "Any key and project ID work.",
        code: `SENTRY_DSN=${dsn}`,
      },
      {
        text: "Or in code, here in a browser",
        code: `import * as Sentry from "@sentry/browser"

Sentry.init({
  dsn: "${dsn}",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
})`,
      },
    ],
  }
  if (spotlightPort === undefined) return [byDsn]
  const value = spotlightPort === SPOTLIGHT_PORT ? "1" : `http://localhost:${spotlightPort}/stream`
  const bySpotlight: Recipe = {
    title: "Sentry SDK, in addition to your own DSN (Spotlight)",
    steps: [
      { text: "Servers on this machine send a copy of everything", code: `SENTRY_SPOTLIGHT=${value}` },
      {
        text: "Browsers, in development",
        code: `Sentry.init({
  // your options
  integrations: [Sentry.spotlightBrowserIntegration(${value === "1" ? "" : `{ sidecarUrl: "${value}" }`})],
})`,
      },
    ],
  }
  return [byDsn, bySpotlight]
}
