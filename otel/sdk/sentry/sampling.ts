import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/**
 * A trace's id alone decides whether it is sampled, so that page, server, Sentry and OTLP agree without communicating. The
 * last 56 bits of the id are its randomness, as in W3C Trace Context level 2 and OpenTelemetry's consistent sampling.
 * Sentry's `sample_rand` is its complement, because Sentry samples below a rate and OpenTelemetry above a threshold.
 *
 * @see https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
 * @see https://develop.sentry.dev/sdk/telemetry/traces/#propagated-random-value
 */

const RANDOM_HEX_DIGITS = 14
/** Sentry's `sample_rand` has six digits. The decision uses the rounded number, so that both always agree. */
const STEPS = 1_000_000
/** A double holds 13 of the 14 hexadecimal digits exactly, and six decimal digits need only 20 bits. */
const EXACT_HEX_DIGITS = 13
const EXACT_RANGE = 16 ** EXACT_HEX_DIGITS

/** Sentry's `sample_rand` of a trace: at least 0 and below 1, with six decimal digits. */
export function sampleRand(traceId: string): number {
  const digits = traceId.slice(-RANDOM_HEX_DIGITS).slice(0, EXACT_HEX_DIGITS)
  const randomness = Number.parseInt(digits, 16)
  return Math.floor(((EXACT_RANGE - 1 - randomness) / EXACT_RANGE) * STEPS) / STEPS
}

/** @param rate share of traces to sample, 0 to 1. */
export function shouldSample(traceId: string, rate: number): boolean {
  return sampleRand(traceId) < rate
}

export function isSampled(span: Pick<ReadableSpan, "spanContext">): boolean {
  return (span.spanContext().traceFlags & 1) === 1
}
