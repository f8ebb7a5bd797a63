import type { RequestHead } from "../../protocol/transport/request.ts"
import { redactText } from "../../protocol/redact.ts"
import { serviceName, type SpanRecord } from "../../protocol/records/span.ts"

/** In characters. */
const LENGTH_LIMIT = 80
const SENTRY_CLIENT = /(?:^|[\s,])sentry_client=([^\s,]+)/

/**
 * Who sent a request, for the record of what is dropped of it: the client that Sentry's SDKs name, the origin of a page, or the
 * program in `User-Agent`, like `OpenTelemetry Collector Contrib/0.114.0`. Empty where nothing names it. Anyone can write anything
 * there: it is text for people, bounded, and decides nothing but the stage of what the sender itself reports as dropped.
 *
 * @example senderOf({ headers: new Headers({ "user-agent": "OTel-OTLP-Exporter-JavaScript/0.223.0" }) })
 */
export function senderOf({ headers, url }: Pick<RequestHead, "headers"> & Partial<RequestHead>): string {
  const sentry = SENTRY_CLIENT.exec(headers.get("x-sentry-auth") ?? "")?.[1] ?? clientInQuery(url)
  const program = headers.get("user-agent")?.split(" (", 1)[0]
  return shortened(sentry ?? headers.get("origin") ?? program ?? "")
}

function clientInQuery(url: string | undefined): string | undefined {
  if (url?.includes("sentry_client=") !== true || !URL.canParse(url)) return undefined
  return new URL(url).searchParams.get("sentry_client") ?? undefined
}

/** The SDK of pages. A tunnel names it in its requests, because what it sends is theirs. */
const PAGE_SDK = /^sentry\.javascript\.browser\b/

/** Where the drops that a request reports happened. Only browsers send `Origin`; a tunnel names the SDK of the page. */
export function stageOf({ headers }: Pick<RequestHead, "headers">, sender: string): "page" | "server" {
  return headers.get("origin") !== null || PAGE_SDK.test(sender) ? "page" : "server"
}

/** The service whose spans these are; of several services, and of none, the sender of the request. */
export function serviceOrSender(spans: readonly Pick<SpanRecord, "resource">[], sender: string): string {
  const services = new Set(spans.map(({ resource }) => serviceName(resource)))
  const [only] = services
  return services.size === 1 && only !== undefined ? shortened(only) : sender
}

function shortened(text: string): string {
  const line = redactText(text.slice(0, 2 * LENGTH_LIMIT))
    .replace(/\s+/g, " ")
    .trim()
  return line.length > LENGTH_LIMIT ? `${line.slice(0, LENGTH_LIMIT)}…` : line
}
