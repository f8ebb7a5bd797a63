import type { IncomingMessage, RequestListener } from "node:http"
import type { Receiver } from "../receive/index.ts"
import { requestListener } from "./request-listener.ts"

/** The paths of Sentry's SDKs, below the project that their DSN names; any project will do. */
const SENTRY_PATH = /^\/api\/[^/]+\/(?<door>envelope|store|integration\/otlp\/v1\/(?:traces|logs))\/?$/

/** Finds the door of a path, `undefined` where there is none. */
export function doorsOf(receiver: Receiver): (path: string) => RequestListener | undefined {
  const traces = requestListener((request) => receiver.traces(request))
  const logs = requestListener((request) => receiver.logs(request))
  const doors = new Map<string, RequestListener>([
    ["/v1/traces", traces],
    ["/v1/logs", logs],
    ["/v1/metrics", requestListener((request) => receiver.metrics(request))],
    ["/stream", requestListener((request) => receiver.stream(request))],
    ["/open", requestListener((request) => receiver.sources.open(request))],
    ["/contextlines", requestListener((request) => receiver.sources.contextLines(request))],
    ["/live", requestListener((request) => receiver.live(request))],
    ["/sign-in", requestListener((request) => receiver.signIn.door(request))],
    ["/health", requestListener((request) => receiver.health(request))],
  ])
  const sentryDoors = new Map<string, RequestListener>([
    ["envelope", requestListener((request) => receiver.envelope(request))],
    ["store", requestListener((request) => receiver.store(request))],
    ["integration/otlp/v1/traces", requestListener((request) => receiver.sentryTraces(request))],
    ["integration/otlp/v1/logs", requestListener((request) => receiver.sentryLogs(request))],
  ])
  return (path) => doors.get(path) ?? sentryDoors.get(SENTRY_PATH.exec(path)?.groups?.["door"] ?? "")
}

export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/"
}
