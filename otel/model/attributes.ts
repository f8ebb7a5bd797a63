/**
 * An attribute's value, as the OTLP data model allows it: 64-bit integers are `bigint`, doubles `number`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/common/#anyvalue
 */
export type AttributeValue =
  | string
  | boolean
  | bigint
  | number
  | Uint8Array
  | readonly AttributeValue[]
  | ReadonlyMap<string, AttributeValue>
  | null

/** Keys come from outside: a `Map` has no prototype to pollute. */
export type Attributes = ReadonlyMap<string, AttributeValue>

export const NO_ATTRIBUTES: Attributes = new Map()
