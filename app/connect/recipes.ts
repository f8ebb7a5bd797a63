/** One way to send traces here, as it is pasted. */
export interface Recipe {
  readonly title: string
  readonly steps: readonly { readonly say: string; readonly code: string }[]
}

/** The variable that leads an SDK of any language to `address`; nothing where its default already does. */
export function endpoint(address: string, isDefault: boolean): string {
  return isDefault ? "" : `OTEL_EXPORTER_OTLP_ENDPOINT=${address} \\\n`
}

/** The four touches of a Next.js app. */
export function pagespanRecipe(address: string, isDefault: boolean): Recipe {
  return {
    title: "Next.js with Pagespan",
    steps: [
      { say: "Install", code: "npm install pagespan" },
      { say: "All edits by one command, which shows them first", code: "npx pagespan init" },
      {
        say: "Or by hand: next.config.ts",
        code: `import { withPagespan } from "pagespan/next"

export default withPagespan({
  // your Next.js configuration
})`,
      },
      { say: "instrumentation.ts", code: `export { register, onRequestError } from "pagespan/server"` },
      {
        say: "app/layout.tsx: one element, which renders nothing",
        code: `import { Suspense } from "react"
import { RouteObserver } from "pagespan/react"

// in <body>:
<Suspense fallback={null}>
  <RouteObserver />
</Suspense>`,
      },
      {
        say: "app/monitoring/route.ts: the way out of the page, on its own origin",
        code: `export { POST } from "pagespan/tunnel"`,
      },
      { say: "Run", code: `${endpoint(address, isDefault)}OTEL_SERVICE_NAME=my-app next dev` },
    ],
  }
}

/** One span by OTLP/JSON. The shell makes ids and times, so that each run is a new trace. */
export function curlRecipe(address: string): Recipe {
  return {
    title: "One span by hand",
    steps: [
      {
        say: "Paste into a shell",
        code: `curl ${address}/v1/traces -H "content-type: application/json" --data @- <<JSON
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

/** Where Sentry's SDKs look for Spotlight without being told. */
const SPOTLIGHT_PORT = 8_969

export interface SentryTarget {
  readonly address: string
  /** Port of Spotlight's protocol; absent where it is off. */
  readonly spotlightPort: number | undefined
  /** Whether a token is asked for, which is then the DSN's key. */
  readonly hasToken: boolean
}

/** Any Sentry SDK, by its DSN or by Spotlight. */
export function sentryRecipes({ address, spotlightPort, hasToken }: SentryTarget): Recipe[] {
  const [protocol = "", host = ""] = address.split("://")
  const dsn = `${protocol}://${hasToken ? "YOUR_TOKEN" : "any"}@${host}/1`
  const byDsn: Recipe = {
    title: "Sentry SDK, by its DSN",
    steps: [
      {
        say: hasToken ? "The key is the value of PAGESPAN_TOKEN; any project will do" : "Any key and project will do",
        code: `SENTRY_DSN=${dsn}`,
      },
      {
        say: "Or in code, here for a page",
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
    title: "Sentry SDK, beside your own DSN (Spotlight)",
    steps: [
      { say: "Servers: a copy of everything comes here, on this machine", code: `SENTRY_SPOTLIGHT=${value}` },
      {
        say: "Pages, in development",
        code: `Sentry.init({
  // what you have
  integrations: [Sentry.spotlightBrowserIntegration(${value === "1" ? "" : `{ sidecarUrl: "${value}" }`})],
})`,
      },
    ],
  }
  return [byDsn, bySpotlight]
}
