/** Nanoseconds since the Unix epoch, or a length in nanoseconds. Never a `number`, which loses digits past 2^53. */
export type Nanoseconds = bigint & { readonly __brand: "Nanoseconds" }

/** Seconds and nanoseconds, as OpenTelemetry's JavaScript SDK keeps time. */
export type HrTime = readonly [seconds: number, nanos: number]

const NANOS_PER_SECOND = 1_000_000_000n
const NANOS_PER_MILLISECOND = 1_000_000n

export function nanoseconds(value: bigint): Nanoseconds {
  return value as Nanoseconds
}

/** From milliseconds with a fraction, as `Date.now()` and `performance.now()` give them; exact to the microsecond. */
export function fromMilliseconds(milliseconds: number): Nanoseconds {
  const whole = Math.trunc(milliseconds)
  const nanos = Math.round((milliseconds - whole) * 1e6)
  return nanoseconds(BigInt(whole) * NANOS_PER_MILLISECOND + BigInt(nanos))
}

export function fromHrTime([seconds, nanos]: HrTime): Nanoseconds {
  return nanoseconds(BigInt(seconds) * NANOS_PER_SECOND + BigInt(nanos))
}
