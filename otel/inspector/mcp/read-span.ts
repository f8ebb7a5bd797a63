import type { Attributes } from "../../protocol/records/attributes.ts"
import { serviceName } from "../../protocol/records/span.ts"
import { FILTERED, isSecretKey, redactText } from "../../protocol/redact.ts"
import { valueText } from "../queries/trace/span-detail.ts"
import type { AgentReader } from "./agent-reader.ts"
import { type Answer, ToolError } from "./answer.ts"
import { boundedText, milliseconds, oneLine } from "./bounded-text.ts"

const ATTRIBUTES = 64
const EVENTS = 16
const VALUE_LIMIT = 1_000

/** One span with all that it tells, but for what looks like a secret. */
export async function readSpan(
  reader: AgentReader,
  { traceId, spanId }: { traceId: string; spanId: string },
): Promise<Answer> {
  const span = (await reader.readTrace(traceId)).find((each) => each.spanId === spanId)
  if (span === undefined) throw new ToolError(`Trace ${traceId} has no span ${spanId}.`)
  const attributes = toldAttributes(span.attributes)
  const resource = toldAttributes(span.resource.attributes)
  const events = span.events
    .slice(0, EVENTS)
    .map(({ name, attributes: each }) => ({ name: oneLine(name), attributes: toldAttributes(each) }))
  const facts = {
    spanId,
    parentSpanId: span.parentSpanId ?? null,
    name: oneLine(span.name),
    service: oneLine(serviceName(span.resource)),
    kind: span.kind,
    durationMs: Number(span.endTime - span.startTime) / 1e6,
    status: span.status.code,
    message: oneLine(redactText(span.status.message), VALUE_LIMIT),
    links: span.links.slice(0, EVENTS).map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
  }
  const lines = [
    `${facts.name} (${facts.service}), ${facts.kind}, ${milliseconds(facts.durationMs * 1e6)}, ${facts.status}${facts.message && `: ${facts.message}`}`,
    ...linesOf(attributes, ""),
    ...events.flatMap((event) => [`event ${event.name}`, ...linesOf(event.attributes, "  ")]),
    ...facts.links.map((link) => `link to trace ${link.traceId} span ${link.spanId}`),
    "resource",
    ...linesOf(resource, "  "),
  ]
  return { text: boundedText(lines), structured: { ...facts, attributes, events, resource } }
}

function toldAttributes(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    [...attributes]
      .slice(0, ATTRIBUTES)
      .map(([key, value]) => [key, isSecretKey(key) ? FILTERED : oneLine(redactText(valueText(value)), VALUE_LIMIT)]),
  )
}

function linesOf(attributes: Readonly<Record<string, string>>, indent: string): string[] {
  return Object.entries(attributes).map(([key, value]) => `${indent}${oneLine(key)} = ${value}`)
}
