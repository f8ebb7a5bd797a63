import { type Span, trace, type TracerProvider } from "@opentelemetry/api"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { TracerProvider as SdkTracerProvider } from "@opentelemetry/sdk-trace"
import { type ReadableSpan, SamplingDecision } from "@opentelemetry/sdk-trace-web"
import type { Recorder, RecorderOptions } from "./recorder.ts"

/**
 * Lets OpenTelemetry's SDK create the spans from now on, if it can: where the page's clock has no origin, its spans would have no
 * times, and the recorder continues.
 */
export function takeOver(recorder: Recorder): void {
  if (performance.timeOrigin > 0) recorder.successor = createSuccessor(recorder.options)
}

/**
 * Creates the tracer provider of OpenTelemetry's SDK, with what the recorder has. It is the one of `sdk-trace`: that of
 * `sdk-trace-base` reads environment variables, which no page has, and the web one adds propagators and a context manager that we
 * replace.
 */
export function createSuccessor({ isSampled, listeners, resource }: RecorderOptions): TracerProvider {
  return new SdkTracerProvider({
    sampler: {
      // Spans that are not sampled are recorded too.
      shouldSample(context, traceId) {
        const isIn = isSampled(trace.getSpanContext(context), traceId)
        return { decision: isIn ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.RECORD }
      },
    },
    resource: resourceFromAttributes(resource.attributes),
    spanProcessors: listeners.map((each) => ({
      onStart: (span) => each.onStart(span),
      onEnd: (span) => each.onEnd(span as Span & ReadableSpan),
      forceFlush: async () => {},
      shutdown: async () => {},
    })),
  })
}
