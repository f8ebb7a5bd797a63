import {
  type DataCategory,
  dsnFromString,
  type EnvelopeItemType,
  envelopeItemTypeToDataCategory,
  getEnvelopeEndpointWithUrlEncodedAuth,
  isRateLimited,
  type RateLimits,
  updateRateLimits,
} from "@sentry/core"
import { categoryOfItem } from "../../protocol/records/drop.ts"
import { type Envelope, type EnvelopeItem, quantityOf, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import { OTLP_MEDIA_TYPES, type OtlpEncoding } from "../../protocol/otlp/message.ts"
import type { Attempt, Protocol } from "./destination.ts"
import { otlpEncodingOf, signalOf } from "./otlp-deliveries.ts"

interface SentryProtocolOptions {
  readonly dsn: string
  readonly now: () => number
}

/** Header fields of the envelope's original project, which are removed. */
const FOREIGN_HEADERS: ReadonlySet<string> = new Set(["dsn"])

/**
 * A Sentry project: posts envelopes to its ingest endpoint, and OTLP spans and logs to its OTLP endpoints. Applies rate limits by
 * category: limited items are dropped, as Sentry requires of clients, and others are sent.
 *
 * @see https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export function sentryProtocol({ dsn, now }: SentryProtocolOptions): Protocol {
  const components = dsnFromString(dsn)
  if (components === undefined) throw new Error("The DSN is not valid; the configuration should have refused it.")
  const { protocol, host, port, path, projectId, publicKey } = components
  const root = `${protocol}://${host}${port ? `:${port}` : ""}${path ? `/${path}` : ""}`
  const otlpRequest = (signal: string, encoding: OtlpEncoding, body: Uint8Array) => ({
    url: `${root}/api/${projectId}/integration/otlp/v1/${signal}/`,
    headers: {
      "content-type": OTLP_MEDIA_TYPES[encoding],
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${publicKey}`,
    },
    body,
  })
  const envelopes = {
    url: getEnvelopeEndpointWithUrlEncodedAuth(components),
    headers: { "content-type": "application/x-sentry-envelope" },
  }
  let limits: RateLimits = {}
  // `isRateLimited` ignores a limit of all categories when the category has an expired one of its own.
  const isLimited = (category: DataCategory) => isRateLimited(limits, category, now()) || (limits["all"] ?? 0) > now()
  // Sentry has categories for item types without records here, such as replays.
  const isItemLimited = ({ type }: EnvelopeItem) => isLimited(envelopeItemTypeToDataCategory(type as EnvelopeItemType))
  return {
    limitsItself: true,
    attempt({ kind, category, count }, body) {
      const encoding = otlpEncodingOf(kind)
      if (encoding !== undefined) {
        // Sentry has the same names for the categories of spans and logs.
        return isLimited(category as DataCategory)
          ? { request: undefined, sent: [], leftOut: [rateLimited({ category, count })] }
          : { request: otlpRequest(signalOf(category), encoding, body), sent: [{ category, count }], leftOut: [] }
      }
      const envelope = splitEnvelope(body)
      if (!envelope.ok)
        return { request: undefined, sent: [], leftOut: [{ reason: "malformed", category: "default", count }] }
      const limited = new Set(envelope.items.filter(isItemLimited))
      const allowed = envelope.items.filter((item) => !limited.has(item))
      const request = allowed.length === 0 ? undefined : { ...envelopes, body: write(envelope, allowed) }
      const leftOut = [...limited].map((item) => rateLimited(recordsOf(item)))
      return { request, sent: allowed.map(recordsOf), leftOut }
    },
    answered(status, header) {
      const headers = {
        "x-sentry-rate-limits": header("x-sentry-rate-limits") ?? null,
        "retry-after": header("retry-after") ?? null,
      }
      limits = updateRateLimits(limits, { statusCode: status, headers }, now())
    },
  }
}

function recordsOf(item: EnvelopeItem): Attempt["sent"][number] {
  return { category: categoryOfItem(item.type), count: quantityOf(item) }
}

function rateLimited(records: Attempt["sent"][number]): Attempt["leftOut"][number] {
  return { ...records, reason: "ratelimit_backoff" }
}

/** With the length of each payload, because a payload may hold line breaks. */
function write({ header }: Envelope, items: readonly EnvelopeItem[]): Uint8Array {
  const own = Object.fromEntries(Object.entries(header).filter(([name]) => !FOREIGN_HEADERS.has(name)))
  const parts = items.flatMap(({ header: item, payload }) => [
    Buffer.from(`\n${JSON.stringify({ ...item, length: payload.length })}\n`),
    payload,
  ])
  return Buffer.concat([Buffer.from(JSON.stringify(own)), ...parts])
}

/** A collector, by OTLP/HTTP. */
export function otlpProtocol(endpoint: string): Protocol {
  return {
    limitsItself: false,
    attempt: ({ kind, category, count }, body) => ({
      request: {
        url: signalUrl(endpoint, signalOf(category)),
        body,
        headers: { "content-type": OTLP_MEDIA_TYPES[otlpEncodingOf(kind) ?? "json"] },
      },
      sent: [{ category, count }],
      leftOut: [],
    }),
    answered: () => undefined,
  }
}

/** Appends the signal's path, as OpenTelemetry's exporters do. An endpoint may have the path of traces. */
function signalUrl(endpoint: string, signal: string): string {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/(?:\/v1\/traces)?\/?$/, "")}/v1/${signal}`
  return url.href
}
