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
import { categoryOfItem, type DropCategory, type DropReason } from "../../protocol/records/drop.ts"
import { type Envelope, type EnvelopeItem, quantityOf, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import type { Protocol } from "./destination.ts"

interface SentryProtocolOptions {
  readonly dsn: string
  readonly now: () => number
  /** Records what is not sent: rate limited by Sentry, or malformed. */
  recordDrop(reason: DropReason, category: DropCategory, count: number): void
}

/** Header fields of the envelope's original project, which are removed. */
const FOREIGN_HEADERS: ReadonlySet<string> = new Set(["dsn"])

/**
 * A Sentry project: posts envelopes to its ingest endpoint and OTLP spans to its OTLP endpoint. Applies rate limits by
 * category: limited items are dropped, as Sentry requires of clients, and others are sent.
 *
 * @see https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export function sentryProtocol({ dsn, now, recordDrop }: SentryProtocolOptions): Protocol {
  const components = dsnFromString(dsn)
  if (components === undefined) throw new Error("The DSN is not valid; the configuration should have refused it.")
  const { protocol, host, port, path, projectId, publicKey } = components
  const root = `${protocol}://${host}${port ? `:${port}` : ""}${path ? `/${path}` : ""}`
  const spans = {
    url: `${root}/api/${projectId}/integration/otlp/v1/traces/`,
    headers: {
      "content-type": "application/json",
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${publicKey}`,
    },
  }
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
    request({ kind, count }, body) {
      if (kind === "otlp") {
        if (!isLimited("span")) return { ...spans, body }
        recordDrop("ratelimit_backoff", "span", count)
        return undefined
      }
      const envelope = splitEnvelope(body)
      if (!envelope.ok) {
        recordDrop("malformed", "default", count)
        return undefined
      }
      const allowed = envelope.items.filter((item) => !isItemLimited(item))
      for (const item of envelope.items.filter((one) => !allowed.includes(one)))
        recordDrop("ratelimit_backoff", categoryOfItem(item.type), quantityOf(item))
      return allowed.length === 0 ? undefined : { ...envelopes, body: write(envelope, allowed) }
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

/** With the length of each payload, because a payload may hold line breaks. */
function write({ header }: Envelope, items: readonly EnvelopeItem[]): Uint8Array {
  const own = Object.fromEntries(Object.entries(header).filter(([name]) => !FOREIGN_HEADERS.has(name)))
  const parts = items.flatMap(({ header: item, payload }) => [
    Buffer.from(`\n${JSON.stringify({ ...item, length: payload.length })}\n`),
    payload,
  ])
  return Buffer.concat([Buffer.from(JSON.stringify(own)), ...parts])
}

const TRACES_PATH = "v1/traces"

/** A collector, by OTLP/HTTP with JSON. */
export function otlpProtocol(endpoint: string): Protocol {
  const url = tracesUrl(endpoint)
  return {
    limitsItself: false,
    request: (_delivery, body) => ({ url, body, headers: { "content-type": "application/json" } }),
    answered: () => undefined,
  }
}

/** Appends the signal's path to an endpoint without one, as OpenTelemetry's exporters do. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  if (!url.pathname.endsWith(`/${TRACES_PATH}`)) url.pathname = `${url.pathname.replace(/\/$/, "")}/${TRACES_PATH}`
  return url.href
}
