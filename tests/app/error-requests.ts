import { gzipSync } from "node:zlib"
import { BODY_LIMIT_BYTES } from "#otel/protocol/limits.ts"
import type { PlainRequest } from "./plain-request.ts"

/** A request that a handler refuses, and the status of its response. */
export interface ErrorRequest extends PlainRequest {
  readonly what: string
  readonly path: string
  readonly status: number
}

interface Handler {
  readonly path: string
  readonly mediaType: string
  /** Whether it accepts only OTLP's media types. */
  readonly isOtlp: boolean
}

const otlp = (path: string): Handler[] =>
  ["application/json", "application/x-protobuf"].map((mediaType) => ({ path, mediaType, isOtlp: true }))

const envelopes = (path: string): Handler => ({ path, mediaType: "application/x-sentry-envelope", isOtlp: false })

const INGEST_HANDLERS: readonly Handler[] = [
  ...otlp("/v1/traces"),
  ...otlp("/v1/logs"),
  ...otlp("/v1/metrics"),
  ...otlp("/api/1/integration/otlp/v1/traces"),
  ...otlp("/api/1/integration/otlp/v1/logs"),
  envelopes("/api/1/envelope/"),
  envelopes("/api/1/store/"),
  envelopes("/stream"),
]

const READS = [
  "/health",
  "/live",
  "/stream",
  "/api/traces",
  "/api/traces/differences",
  "/api/traces/heatmap",
  "/api/errors",
  "/api/dropped",
  "/api/items",
  "/api/logs",
  "/api/services",
  "/api/compare",
  "/api/services/shop",
  "/api/sessions/s1",
  `/api/items/${"a".repeat(32)}`,
  `/api/traces/${"a".repeat(32)}`,
  `/api/traces/${"a".repeat(32)}/logs`,
]

const GARBAGE = Buffer.from('{"resourceSpans": [{]\u0001 at run (/srv/secret.ts:7:9)')
const BOMB = gzipSync(Buffer.alloc(BODY_LIMIT_BYTES + 1))

/** Every reason for a refusal at every handler. Envelopes may have any media type, and Spotlight's handler answers unreadable ones 200. */
export function errorRequests(): ErrorRequest[] {
  return [...INGEST_HANDLERS.flatMap(refusalsOf), ...READS.flatMap(readRefusalsOf), ...OTHERS]
}

function refusalsOf({ path, mediaType, isOtlp }: Handler): ErrorRequest[] {
  const headers = { "content-type": mediaType }
  const post = (what: string, status: number, more: Record<string, string>, body: Uint8Array = GARBAGE) => ({
    what,
    path,
    status,
    method: "POST",
    headers: { ...headers, ...more },
    body,
  })
  const isSpotlight = path === "/stream"
  return [
    { what: "a method that is not served", path, status: 405, method: "PUT", headers, body: GARBAGE },
    post("a foreign host", 421, { host: "evil.example" }),
    post("a foreign page", 403, { origin: "https://evil.example" }),
    post("an unknown encoding", 415, { "content-encoding": "zip" }),
    post("a body that is not in its encoding", 400, { "content-encoding": "gzip" }),
    post("a body that inflates past the limit", 413, { "content-encoding": "gzip" }, BOMB),
    ...(isOtlp ? [post("a media type that is not served", 415, { "content-type": "text/html" })] : []),
    ...(isSpotlight ? [] : [post("a body that cannot be read", 400, {})]),
  ]
}

function readRefusalsOf(path: string): ErrorRequest[] {
  return [
    { what: "a foreign host", path, status: 421, headers: { host: "evil.example" } },
    { what: "a foreign page", path, status: 403, headers: { origin: "https://evil.example" } },
    { what: "a frame without an origin", path, status: 403, headers: { origin: "null" } },
  ]
}

const OTHERS: readonly ErrorRequest[] = [
  { what: "an invalid trace id", path: "/api/traces/zz", status: 400 },
  { what: "a trace that is not stored", path: `/api/traces/${"a".repeat(32)}`, status: 404 },
  { what: "an invalid trace id", path: "/api/traces/zz/logs", status: 400 },
  { what: "an invalid filter", path: "/api/logs?q=duration%3E5ms", status: 400 },
  { what: "an invalid filter", path: "/api/services?q=duration%3E", status: 400 },
  { what: "an invalid filter", path: "/api/traces/heatmap?q=duration%3E", status: 400 },
  { what: "an invalid filter", path: "/api/traces/differences?baseline=duration%3E", status: 400 },
  { what: "an invalid filter", path: "/api/compare?a=duration%3E", status: 400 },
  { what: "a service that is not stored", path: "/api/services/none", status: 404 },
  { what: "a session that is not stored", path: "/api/sessions/none", status: 404 },
  { what: "an invalid issue id", path: "/api/errors/zz", status: 400 },
  { what: "an issue that is not stored", path: `/api/errors/${"a".repeat(32)}`, status: 404 },
  { what: "an invalid item id", path: "/api/items/zz", status: 400 },
  { what: "an item that is not stored", path: `/api/items/${"a".repeat(32)}`, status: 404 },
  { what: "a URL that cannot be decoded", path: "/api/traces/%E0%A4%A", status: 400 },
  { what: "a method that is not served", path: "/api/traces", status: 405, method: "POST", body: "x" },
  { what: "a method that is not served", path: "/monitoring", status: 405, method: "PUT", body: "x" },
  { what: "a foreign page", path: "/monitoring", status: 403, method: "POST", headers: { origin: "null" }, body: "x" },
  { what: "a foreign host", path: "/monitoring", status: 421, method: "POST", headers: { host: "evil" }, body: "x" },
  { what: "a foreign host", path: "/traces", status: 421, headers: { host: "evil.example" } },
  { what: "a file of the sources", path: "/package.json", status: 404 },
  { what: "a file of the sources", path: "/otel/inspector/config.ts", status: 404 },
  { what: "a file above the root", path: "/../../../etc/passwd", status: 404 },
  { what: "an unknown chunk", path: "/_next/static/chunks/none.js", status: 404 },
  { what: "an image to optimize", path: "/_next/image?url=%2Ficon.svg&w=64&q=75", status: 404 },
  {
    what: "a Server Action",
    path: "/",
    status: 405,
    method: "POST",
    headers: { "next-action": "0".repeat(42) },
    body: "[]",
  },
]
