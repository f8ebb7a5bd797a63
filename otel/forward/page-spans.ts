import type { SpanExporter } from "@opentelemetry/sdk-trace-base"
import type { SpanRecord } from "../model/span.ts"
import { exportFailure } from "../server/collector-processor.ts"
import { countLoss } from "../server/losses.ts"
import { localInspector } from "../server/local-inspector.ts"
import { outgoingSpan } from "../sentry/outgoing-span.ts"
import { toSpanRecord } from "../server/span-record.ts"
import { toReadableSpan } from "./readable-span.ts"

const SERVICE_NAME = "service.name"

/** Hands the spans of a page on to the inspector in this process and to the configured collector. */
export function forwardPageSpans(
  spans: readonly SpanRecord[],
  service: string,
  collector: SpanExporter | undefined,
): void {
  // A page's own spans are clean when they leave it; what the app itself recorded beside them is cleaned here.
  const outgoing = withServiceName(spans, service).map((span) => outgoingSpan(toReadableSpan(span)))
  void localInspector()?.spans(outgoing.map(toSpanRecord))
  collector?.export(outgoing, (result) => {
    const reason = exportFailure(result)
    if (reason !== undefined) countLoss("forward", reason, "span", outgoing.length, "page spans")
  })
}

/** A page whose HTML was made at build time may not know its own name yet. */
function withServiceName(spans: readonly SpanRecord[], service: string): readonly SpanRecord[] {
  return spans.map((span) => {
    if (span.resource.attributes.has(SERVICE_NAME)) return span
    const attributes = new Map([...span.resource.attributes, [SERVICE_NAME, service]])
    return { ...span, resource: { ...span.resource, attributes } }
  })
}
