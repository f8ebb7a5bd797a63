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
      {
        say: "next.config.ts",
        code: `import { withPagespan } from "pagespan/next"

export default withPagespan({
  // your Next.js configuration
})`,
      },
      { say: "instrumentation.ts", code: `export { register, onRequestError } from "pagespan/server"` },
      {
        say: "app/layout.tsx: one element, which renders nothing",
        code: `import { RouteObserver } from "pagespan/react"

// in <body>, after your children:
<RouteObserver />`,
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
