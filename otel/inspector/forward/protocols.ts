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
import { categoryOfItem, type DropCategory, type DropReason, quantityOfItem } from "../../protocol/records/drop.ts"
import { type Envelope, type EnvelopeItem, splitEnvelope } from "../../protocol/sentry/split-envelope.ts"
import type { Protocol } from "./destination.ts"

interface SentryProtocolOptions {
  readonly dsn: string
  readonly now: () => number
  /** What is not sent: Sentry has asked for that, or it is no envelope. */
  lost(reason: DropReason, category: DropCategory, count: number): void
}

/** What is left out of an envelope's header on its way to another project than the one that it was made for. */
const FOREIGN_HEADERS: ReadonlySet<string> = new Set(["dsn"])

/**
 * A Sentry project: envelopes go to its ingest endpoint, spans that came by OTLP to its OTLP endpoint. Rate limits are
 * kept by category: what is limited is dropped, as Sentry asks of its clients, and all else goes on.
 *
 * @see https://develop.sentry.dev/sdk/expected-features/rate-limiting/
 */
export function sentryProtocol({ dsn, now, lost }: SentryProtocolOptions): Protocol {
  const components = dsnFromString(dsn)
  if (components === undefined) throw new Error("a DSN that the configuration should have refused")
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
  // Sentry's own function forgets a limit of everything where a category has had one that is over.
  const isLimited = (category: DataCategory) => isRateLimited(limits, category, now()) || (limits["all"] ?? 0) > now()
  // Sentry has categories of what we know no records of, such as replays.
  const isHeldBack = ({ type }: EnvelopeItem) => isLimited(envelopeItemTypeToDataCategory(type as EnvelopeItemType))
  return {
    limitsItself: true,
    request({ kind, count }, body) {
      if (kind === "otlp") {
        if (!isLimited("span")) return { ...spans, body }
        lost("ratelimit_backoff", "span", count)
        return undefined
      }
      const envelope = splitEnvelope(body)
      if (!envelope.ok) {
        lost("malformed", "default", count)
        return undefined
      }
      const kept = envelope.items.filter((item) => !isHeldBack(item))
      for (const { type, header } of envelope.items.filter((item) => !kept.includes(item)))
        lost("ratelimit_backoff", categoryOfItem(type), quantityOfItem(header["item_count"]))
      return kept.length === 0 ? undefined : { ...envelopes, body: write(envelope, kept) }
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

/** Always with lengths, so that a payload with line breaks stays one payload. */
function write({ header }: Envelope, items: readonly EnvelopeItem[]): Uint8Array {
  const own = Object.fromEntries(Object.entries(header).filter(([name]) => !FOREIGN_HEADERS.has(name)))
  const parts = items.flatMap(({ header: item, payload }) => [
    Buffer.from(`\n${JSON.stringify({ ...item, length: payload.length })}\n`),
    payload,
  ])
  return Buffer.concat([Buffer.from(JSON.stringify(own)), ...parts])
}

const TRACES_PATH = "v1/traces"

/** A collector by OTLP/HTTP with JSON. */
export function otlpProtocol(endpoint: string): Protocol {
  const url = tracesUrl(endpoint)
  return {
    limitsItself: false,
    request: (_delivery, body) => ({ url, body, headers: { "content-type": "application/json" } }),
    answered: () => undefined,
  }
}

/** As OpenTelemetry's own exporters do: the signal's path is added to an endpoint that does not name it. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  if (!url.pathname.endsWith(`/${TRACES_PATH}`)) url.pathname = `${url.pathname.replace(/\/$/, "")}/${TRACES_PATH}`
  return url.href
}
