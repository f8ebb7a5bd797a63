import type { Instrumentation } from "next"

/** `BENCH_TRACER` is inlined, so that each build holds the code of its own tracer only. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== "nodejs") return
  if (process.env["BENCH_TRACER"] === "pagespan") await (await import("pagespan/server")).register()
  if (process.env["BENCH_TRACER"] === "sentry") {
    const { init } = await import("@sentry/nextjs")
    const tracesSampleRate = Number(process.env["OTEL_TRACES_SAMPLER_ARG"])
    init({ dsn: process.env["SENTRY_DSN"] ?? "", tracesSampleRate })
  }
  if (process.env["BENCH_TRACER"] === "opentelemetry") (await import("./opentelemetry.ts")).start()
}

export const onRequestError: Instrumentation.onRequestError = async (...failed) => {
  if (process.env.NEXT_RUNTIME !== "nodejs") return
  if (process.env["BENCH_TRACER"] === "pagespan") await (await import("pagespan/server")).onRequestError(...failed)
  if (process.env["BENCH_TRACER"] === "sentry") (await import("@sentry/nextjs")).captureRequestError(...failed)
}
