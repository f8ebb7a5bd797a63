import type { Attributes } from "@opentelemetry/api"
import { isVital } from "./vital.ts"

/**
 * Sentry's measurements of a page, from OpenTelemetry's web vital conventions. A vital is an attribute
 * `browser.web_vital.<name>.value`, with a number, on the root itself or on a child called `browser.web_vital.<name>`;
 * a child wins over the root, and the later of two children over the earlier, since vitals only become final.
 *
 * @see https://develop.sentry.dev/sdk/data-model/event-payloads/transaction/ (`measurements`)
 */
export type Measurements = Readonly<Record<string, { readonly value: number; readonly unit: string }>>

interface NamedAttributes {
  readonly description: string
  readonly data: Attributes
}

const VALUE_ATTRIBUTE = /^browser\.web_vital\.([a-z_]{1,32})\.value$/

/** Layout shift is a score; every other vital is a time. */
const UNITLESS: ReadonlySet<string> = new Set(["cls"])

export function measurements(root: Attributes, children: readonly NamedAttributes[]): Measurements | undefined {
  const found: Record<string, { value: number; unit: string }> = {}
  const vitals = children.filter(({ description }) => isVital({ name: description }))
  for (const attributes of [root, ...vitals.map(({ data }) => data)]) {
    for (const [key, value] of Object.entries(attributes)) {
      const name = VALUE_ATTRIBUTE.exec(key)?.[1]
      if (name === undefined || typeof value !== "number" || !Number.isFinite(value)) continue
      found[name] = { value, unit: UNITLESS.has(name) ? "" : "millisecond" }
    }
  }
  return Object.keys(found).length === 0 ? undefined : found
}
