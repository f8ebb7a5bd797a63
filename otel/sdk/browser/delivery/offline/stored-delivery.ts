import { type DropCategory, quantityOfItem } from "../../../../protocol/records/drop.ts"

/** A delivery that found no network. */
export interface StoredDelivery {
  readonly kind: "envelope" | "otlp"
  readonly body: string | Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
  /** When it was kept, in milliseconds since the epoch. */
  readonly at: number
  readonly category: DropCategory
  readonly count: number
}

/** A request body as the page's senders make it; `spans` is told of OTLP. */
export interface PageRequest extends RequestInit {
  readonly spans?: number
}

/** `undefined` for what is not kept: a report of drops, and what no sender of ours has made. */
export function storedDelivery({ body, headers, spans }: PageRequest, at: number): StoredDelivery | undefined {
  const told = (headers ?? {}) as Record<string, string>
  if (spans && body instanceof Uint8Array)
    return {
      kind: "otlp",
      body: body as Uint8Array<ArrayBuffer>,
      headers: told,
      bytes: body.length,
      at,
      category: "span",
      count: spans,
    }
  if (typeof body !== "string") return undefined
  // A page writes an envelope of one item.
  const { type, item_count } = JSON.parse(body.split("\n", 2)[1] ?? "{}") as Record<string, unknown>
  // A page sends no others.
  const category = type === "event" ? "error" : (type as "transaction" | "span" | "client_report")
  const count = quantityOfItem(item_count)
  return category === "client_report"
    ? undefined
    : { kind: "envelope", body, headers: told, bytes: 2 * body.length, at, category, count }
}

/** The body to send now: an envelope says when it is sent, by which a receiver corrects the page's clock. */
export function bodyAt({ kind, body }: StoredDelivery, now: number): StoredDelivery["body"] {
  if (kind === "otlp" || typeof body !== "string") return body
  const end = body.indexOf("\n")
  const header = { ...(JSON.parse(body.slice(0, end)) as object), sent_at: new Date(now).toISOString() }
  return JSON.stringify(header) + body.slice(end)
}
