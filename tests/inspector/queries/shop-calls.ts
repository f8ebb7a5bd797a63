import type { AttributeValue } from "#otel/protocol/records/attributes.ts"
import { makeSpan, type SpanSketch } from "./make-span.ts"

export const MS = 1_000_000
export const ERROR = { code: "error", message: "" } as const

/** A span from and to a time in milliseconds. */
export const ms = (number: number, from: number, to: number, parent?: number, more: SpanSketch = {}) =>
  makeSpan(number, { from: BigInt(from * MS), to: BigInt(to * MS), ...(parent !== undefined && { parent }), ...more })

export const attributes = (values: Readonly<Record<string, AttributeValue>>) => ({
  attributes: new Map(Object.entries(values)),
})
export const sql = (text: string) => ({
  ...attributes({ "db.query.text": text }),
  kind: "client" as const,
  name: "SELECT shop",
})
export const get = (url: string) => ({ ...attributes({ "url.full": url }), kind: "client" as const, name: "GET" })

export const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))
/** `count` calls of 3 ms in sequence under span 2. */
export const loop = (count: number, more: (index: number) => SpanSketch) =>
  times(count, (i) => ms(10 + i, 20 + i * 4, 23 + i * 4, 2, more(i)))
export const cart = [ms(1, 0, 1_000), ms(2, 10, 900, 1, { name: "priceCart" })]
