import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"

/**
 * Whether a trace is sampled is decided by its id alone, so that page, server, Sentry and OTLP decide alike without
 * asking each other. The id's last 56 bits are its randomness, as W3C Trace Context level 2 and OpenTelemetry's
 * consistent sampling have it; Sentry's `sample_rand` is the same number turned round, because Sentry samples what is
 * below its rate and OpenTelemetry what is above its threshold.
 *
 * @see https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
 * @see https://develop.sentry.dev/sdk/telemetry/traces/#propagated-random-value
 */

const RANDOM_HEX_DIGITS = 14
/** Sentry's `sample_rand` has six digits. They are what the decision is made on, so that both always agree. */
const STEPS = 1_000_000
/** The first 13 of the 14 digits fit a double exactly, and six decimal digits need no more than 20 bits. */
const EXACT_HEX_DIGITS = 13
const EXACT_RANGE = 16 ** EXACT_HEX_DIGITS

/** At least 0 and below 1, with six decimal digits. */
export function sampleRand(traceId: string): number {
  const digits = traceId.slice(-RANDOM_HEX_DIGITS).slice(0, EXACT_HEX_DIGITS)
  const randomness = Number.parseInt(digits, 16)
  return Math.floor(((EXACT_RANGE - 1 - randomness) / EXACT_RANGE) * STEPS) / STEPS
}

/** @param rate share of traces to keep, 0 to 1. */
export function shouldSample(traceId: string, rate: number): boolean {
  return sampleRand(traceId) < rate
}

export function isSampled(span: Pick<ReadableSpan, "spanContext">): boolean {
  return (span.spanContext().traceFlags & 1) === 1
}
