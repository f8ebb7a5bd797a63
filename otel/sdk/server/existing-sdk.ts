import { context, type ContextManager, propagation, trace, type TracerProvider } from "@opentelemetry/api"
import type { Client } from "@sentry/core"
import * as SentryOpenTelemetry from "@sentry/opentelemetry"
import { redactText } from "../../protocol/redact.ts"

/** One line in the server's log, for whoever set the app up. Never in a page. */
export function warn(line: string): void {
  // oxlint-disable-next-line no-console -- there is no other place where it would be found
  console.warn(`pagespan: ${line}`)
}

const KEY = Symbol.for("pagespan.warned")
type Holder = { [KEY]?: Set<string> }

/**
 * The same, once in this process: Next bundles instrumentation and routes apart, so what was said is on the global object.
 *
 * @param subject what the line is about, of which there are only so many: a variable, or a part of the SDK.
 */
export function warnOnce(subject: string, line: string): void {
  const warned = ((globalThis as Holder)[KEY] ??= new Set())
  if (warned.has(subject)) return
  warned.add(subject)
  warn(line)
}

/**
 * Runs a part of the SDK without which the app must go on. What it throws ends here, with one warning.
 *
 * @param part what the warning says failed, like `export to the collector`.
 * @returns what it returns, `undefined` where it threw.
 *
 * @example
 * const collector = attempt("export to the collector", () => createCollectorExporter(config))
 */
export function attempt<Result>(part: string, run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    warnOfFailure(part, error)
    return undefined
  }
}

/** Says that a part of the SDK failed, and why, without secrets. */
export function warnOfFailure(part: string, error: unknown): void {
  warnOnce(part, `${part} failed, and the app goes on without: ${redactText(String(error))}`)
}

/**
 * An app that calls `Sentry.init` itself keeps its client, with all that it is set to. What that client's own set-up
 * registered with OpenTelemetry goes, so that Next's spans come here: they reach Sentry by the bridge, once. An SDK that
 * the app registered beside it stays, and is told of as a rival.
 */
export function replaceExistingClient(client: Client): void {
  // Set by Sentry's set-up, in versions 10 and 11 alike.
  if ((client as { traceProvider?: unknown }).traceProvider !== undefined)
    for (const api of [trace, context, propagation]) api.disable()
  const { tracesSampleRate, tracesSampler } = client.getOptions()
  if (tracesSampleRate === undefined && tracesSampler === undefined) return
  warn("Sentry's own tracing is on too: take tracesSampleRate and tracesSampler out of Sentry.init (npx pagespan init)")
}

/** Version 10 exports it and leaves it to be registered; version 11 registers one of its own. */
const CONTEXT_MANAGER = "SentryAsyncLocalStorageContextManager"

interface OfVersion10 {
  readonly setOpenTelemetryContextAsyncContextStrategy: (options: { skipOpenTelemetrySetup: boolean }) => void
  readonly [CONTEXT_MANAGER]?: new () => ContextManager
}

/** Forks Sentry's scopes with each OpenTelemetry context, and registers the context manager that does so. */
export function joinContexts(): void {
  const sentry: OfVersion10 = SentryOpenTelemetry
  sentry.setOpenTelemetryContextAsyncContextStrategy({ skipOpenTelemetrySetup: true })
  const Manager = sentry[CONTEXT_MANAGER]
  if (Manager !== undefined) context.setGlobalContextManager(new Manager())
}

/** Where every copy of `@opentelemetry/api` 1.x keeps what is registered, with the version of the copy that came first. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1")

/** Says so when Next's spans go elsewhere: to another SDK that was first, or to another copy of the API. */
export function warnOfExistingSdk(provider: TracerProvider): void {
  const registered = trace.getTracerProvider() as { getDelegate?: () => unknown }
  if (registered.getDelegate?.() === provider) return
  const { version = "?" } = (globalThis as { [REGISTERED]?: { version?: string } })[REGISTERED] ?? {}
  warn(
    `another OpenTelemetry SDK was registered first, or a second copy of @opentelemetry/api (${version}): this server's spans go there. ` +
      `Register one SDK, and see npm ls @opentelemetry/api`,
  )
}

/** For `Sentry.init`: that it leaves OpenTelemetry to us, as version 11 calls it and as version 10 does. */
export const WITHOUT_SETUP = { enableOpenTelemetrySetup: false, skipOpenTelemetrySetup: true }
