import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { percentDecoded } from "../../protocol/percent-decoded.ts"
import { isLocalRoot } from "./span-facts.ts"
import { isSampled, sampleRand, shouldSample } from "./sampling.ts"
import { transactionSource } from "./transaction.ts"

/**
 * Sentry's dynamic sampling context, on which all services of a trace must agree. It is created once for each root and then
 * frozen, so that the `baggage` header and the envelope header are the same.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
export type SamplingContext = Record<string, string>

/** The root of this process that a span belongs to. */
export interface OwnRoot {
  readonly root: ReadableSpan
  /** Known before the root gets its name. */
  readonly route: string | undefined
}

/** The Sentry project in which a trace starts. */
export interface SentryProject {
  readonly publicKey: string
  readonly environment: string
  readonly release: string | undefined
  /** Digits of the DSN's host label `o<digits>.`, if it has one. */
  readonly orgId: string | undefined
  /** Share of the traces started here that are sampled, 0 to 1. Default: 1. */
  readonly sampleRate?: number
  /** Whether the rate applies to traces that another process started as well. Default: `false`. */
  readonly ratesAllTraces?: boolean
  /** Whether a sampler of the app decides. Its rate is not known, and none may be invented. Default: `false`. */
  readonly isSampledByApp?: boolean
}

/** A span, or what stands for one that is not recorded. */
export type TracedSpan = Pick<ReadableSpan, "spanContext"> & Partial<ReadableSpan>

const SAMPLE_RAND_DIGITS = 6
export const BAGGAGE_PREFIX = "sentry-"
/** Most traces whose context is remembered. The oldest is evicted first. */
const TRACE_LIMIT = 1_000

export class SamplingContexts {
  readonly #frozen = new Map<string, SamplingContext>()
  readonly #project: SentryProject
  readonly #incoming: (span: TracedSpan) => SamplingContext | undefined
  readonly #rootOf: (span: ReadableSpan) => OwnRoot | undefined

  /**
   * @param incoming the context of a trace that another process started.
   * @param rootOf the open root that a span belongs to, if it is known.
   */
  constructor(
    project: SentryProject,
    incoming: (span: TracedSpan) => SamplingContext | undefined,
    rootOf: (span: ReadableSpan) => OwnRoot | undefined = () => undefined,
  ) {
    this.#project = project
    this.#incoming = incoming
    this.#rootOf = rootOf
  }

  /** The trace's context, the same for every span of the trace from the first call on. */
  of(span: TracedSpan): SamplingContext {
    const { traceId } = span.spanContext()
    const known = this.#frozen.get(traceId)
    if (known !== undefined) return known
    const arrived = this.#incoming(span)
    if (!isRecorded(span)) return arrived ?? { ...projectContext(this.#project, span), ...this.#rate(span) }
    const context = arrived ?? this.#head(span)
    // Next propagates the trace to itself before it knows the route. That stays in this process and must not freeze the context.
    if (arrived === undefined && isLocalRoot(span) && !("transaction" in context)) return context
    const [oldest] = this.#frozen.keys()
    if (this.#frozen.size >= TRACE_LIMIT && oldest !== undefined) this.#frozen.delete(oldest)
    this.#frozen.set(traceId, context)
    return context
  }

  #head(span: ReadableSpan): SamplingContext {
    const own = this.#rootOf(span) ?? { root: span, route: undefined }
    const transaction = transactionName(own)
    // Sentry extrapolates by the rate. If another service decided and did not send its rate, none may be invented.
    const hasRate = own.root.parentSpanContext?.isRemote !== true || this.#project.ratesAllTraces === true
    return {
      ...projectContext(this.#project, span),
      ...(transaction === undefined ? {} : { transaction }),
      ...(hasRate ? this.#rate(span) : {}),
    }
  }

  #rate(span: TracedSpan): SamplingContext {
    return rateContext(span, this.#project)
  }
}

/** A span that is not recorded has ids and flags only. */
function isRecorded(span: TracedSpan): span is ReadableSpan {
  return span.attributes !== undefined
}

/** The entries that the project and the decision alone determine. */
export function projectContext(
  { publicKey, environment, release, orgId }: SentryProject,
  span: TracedSpan,
): SamplingContext {
  return {
    trace_id: span.spanContext().traceId,
    public_key: publicKey,
    environment,
    ...(release === undefined ? {} : { release }),
    ...(orgId === undefined ? {} : { org_id: orgId }),
    sampled: String(isSampled(span)),
  }
}

/** Rate and random number of a decision by the trace id. Empty if another process or the app decided. */
export function rateContext(
  span: TracedSpan,
  { sampleRate = 1, isSampledByApp = false }: Pick<SentryProject, "sampleRate" | "isSampledByApp">,
): SamplingContext {
  const { traceId } = span.spanContext()
  if (isSampledByApp || shouldSample(traceId, sampleRate) !== isSampled(span)) return {}
  return { sample_rate: String(sampleRate), sample_rand: sampleRand(traceId).toFixed(SAMPLE_RAND_DIGITS) }
}

/**
 * The root's name if it is a route; a raw URL must not be propagated. Next names its root only after the response, and writes
 * the trace into HTML before that. Child spans know the route by then.
 */
export function transactionName({ root, route }: OwnRoot): string | undefined {
  if (!isLocalRoot(root)) return undefined
  // Some instrumentations use a URL with its query as the route.
  if (transactionSource(root) === "route") return root.name.split(/[?#]/, 1)[0]
  const method = root.attributes["http.method"]
  return typeof method === "string" && route !== undefined ? `${method} ${route}` : undefined
}

export function orgIdOfHost(host: string): string | undefined {
  return /^o(\d+)\./.exec(host)?.[1]
}

/** The `sentry-` entries of a `baggage` header, without the prefix; `undefined` if there are none. */
export function parseBaggage(header: string | undefined): SamplingContext | undefined {
  const context: SamplingContext = {}
  for (const entry of header?.split(",") ?? []) {
    const [key, value] = entry.trim().split("=")
    if (key?.startsWith(BAGGAGE_PREFIX) && value) context[key.slice(BAGGAGE_PREFIX.length)] = percentDecoded(value)
  }
  return Object.keys(context).length > 0 ? context : undefined
}

export function formatBaggage(context: SamplingContext): string {
  return Object.entries(context)
    .map(([key, value]) => `${BAGGAGE_PREFIX}${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join(",")
}
