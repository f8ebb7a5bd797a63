import { createTraceState, type TraceState } from "@opentelemetry/api"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import type { BuildManifest } from "../routes/build-manifest.ts"
import {
  formatBaggage,
  type OwnRoot,
  parseBaggage,
  projectContext,
  rateContext,
  type SamplingContext,
  SamplingContexts,
  type SentryProject,
  type TracedSpan,
} from "../sentry/sampling-context.ts"
import { CALLER_KEY } from "./trace-state.ts"

/** The method in front of a server root's name, like `GET /items/[id]` or `RSC GET /items/[id]`. */
const METHOD = /^(?:RSC )?[A-Z]+ (?=\/)/
const SHARE = /^(?:0(?:\.\d{1,17})?|1(?:\.0+)?)$/

/**
 * Whether a caller's context belongs to somebody else's Sentry. Such a trace is not continued: a new one starts here.
 * Projects of one organization may share traces. Where an organization is unknown, the project's key decides.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/traces/#stricttracecontinuation
 */
export function isForeign(
  { org_id, public_key }: SamplingContext,
  { orgId, publicKey }: Pick<SentryProject, "orgId" | "publicKey">,
): boolean {
  if (org_id !== undefined) return org_id !== orgId
  return public_key !== undefined && public_key !== publicKey
}

/**
 * How a server continues the traces of others. Anybody can send a `baggage` header, so the context sent to Sentry is this
 * server's own: it names its project, environment and release, and its own decision. Of a caller's context it accepts the
 * transaction if that is a route of this app, so that page and server of one trace agree, and the rate if callers are trusted.
 */
export class TraceContinuation {
  readonly #project: SentryProject
  /** Whether the sampling decision and the rate of a caller apply: only with a `parentbased_` sampler. */
  readonly #trustsCallers: boolean
  readonly #routes: ReadonlySet<string>

  constructor(project: SentryProject, { routes, handlers }: Pick<BuildManifest, "routes" | "handlers">) {
    this.#project = project
    this.#trustsCallers = project.ratesAllTraces !== true
    this.#routes = new Set([...routes, ...handlers])
  }

  isForeign(context: SamplingContext): boolean {
    return isForeign(context, this.#project)
  }

  /** Puts what is accepted of a caller's context into the trace state that all spans of the trace inherit. */
  accept(context: SamplingContext, traceState: TraceState | undefined): TraceState {
    const { transaction, sample_rate, sample_rand } = context
    const accepted: SamplingContext = {
      caller: "true",
      ...(transaction !== undefined && this.#routes.has(transaction.replace(METHOD, "")) ? { transaction } : {}),
      ...(this.#trustsCallers && isShare(sample_rate) ? { sample_rate } : {}),
      ...(this.#trustsCallers && isShare(sample_rate) && isShare(sample_rand) ? { sample_rand } : {}),
    }
    return (traceState ?? createTraceState()).set(CALLER_KEY, formatBaggage(accepted))
  }

  /** The sampling contexts of all traces of this process. @param rootOf the open root that a span belongs to, if it is known. */
  contexts(rootOf: (span: ReadableSpan) => OwnRoot | undefined): SamplingContexts {
    return new SamplingContexts(this.#project, (span) => this.#contextOf(span), rootOf)
  }

  /** The context of a trace whose caller sent one; `undefined` for all other traces. */
  #contextOf(span: TracedSpan): SamplingContext | undefined {
    const accepted = parseBaggage(span.spanContext().traceState?.get(CALLER_KEY))
    if (accepted === undefined) return undefined
    const { caller: _, ...entries } = accepted
    const rate = this.#trustsCallers ? {} : rateContext(span, this.#project)
    return { ...projectContext(this.#project, span), ...rate, ...entries }
  }
}

function isShare(text: string | undefined): text is string {
  return text !== undefined && SHARE.test(text)
}
