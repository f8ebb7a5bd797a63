import { isObject, parseJson } from "../../../protocol/sentry/json.ts"
import { type EnvelopeItem, splitEnvelope } from "../../../protocol/sentry/split-envelope.ts"
import type { RingEntry } from "./envelope-ring.ts"

const EVENT_TYPE = "application/x-sentry-envelope"
/** Item types with binary payloads. */
const BINARY = new Set(["attachment", "replay_recording", "replay_video", "statsd", "profile_chunk"])

/**
 * A server-sent event of Spotlight's stream: `[header, [[itemHeader, payload], ...]]` in one line. JSON payloads are
 * parsed and get the item's `type`, others are base64. With `base64` the event's name says so, as the sidecar's does.
 */
export function eventText({ id, bytes, userAgent }: RingEntry, base64: boolean): string {
  const envelope = splitEnvelope(bytes)
  // The ring holds only envelopes that were decoded.
  if (!envelope.ok) return ""
  const header = {
    ...envelope.header,
    __spotlight_envelope_id: id,
    __spotlight_sender_user_agent: userAgent,
    __spotlight_inferred_source: sourceOf(envelope.header["sdk"]),
  }
  const data = JSON.stringify([header, envelope.items.map((item) => [item.header, payloadOf(item)])])
  return `event: ${EVENT_TYPE}${base64 ? ";base64" : ""}\nid: ${id}\ndata: ${data}\n\n`
}

function payloadOf({ type, header, payload }: EnvelopeItem): unknown {
  if (!BINARY.has(type)) {
    const parsed = parseJson(payload)
    if (isObject(parsed)) return { ...parsed, type }
    if (parsed !== undefined) return parsed
  }
  const { content_type: contentType } = header
  const isText = typeof contentType === "string" && contentType.startsWith("text/")
  return { data: Buffer.from(payload).toString(isText ? "utf8" : "base64") }
}

const BROWSER_SDK = /^sentry\.javascript\.(?:browser|react|vue|angular|svelte|solid|ember|gatsby)/
const MOBILE_SDK = /^sentry\.(?:cocoa|java\.android|dart\.flutter|javascript\.react-native|native)/

/** `browser`, `server` or `mobile`, inferred from the SDK's name. */
function sourceOf(sdk: unknown): string {
  const name = isObject(sdk) && typeof sdk["name"] === "string" ? sdk["name"] : ""
  if (MOBILE_SDK.test(name)) return "mobile"
  return BROWSER_SDK.test(name) ? "browser" : "server"
}
