import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { isLocalRoot } from "./open-roots.ts"
import { shouldSample, isSampled, sampleRand } from "./sampling.ts"
import { transactionSource } from "./transaction.ts"

/**
 * Sentry's dynamic sampling context: what every service of a trace must agree on. Made once for each root and then
 * frozen, so that what travels in `baggage` and what stands in the envelope's header are the same.
 *
 * @see https://develop.sentry.dev/sdk/telemetry/traces/dynamic-sampling-context/
 */
export type SamplingContext = Record<string, string>

/** The root of this process that a span is under. */
export interface OwnRoot {
  readonly root: ReadableSpan
  /** Known before the root is named by it. */
  readonly route: string | undefined
}

/** The Sentry project that a trace begins in. */
export interface SentryProject {
  readonly publicKey: string
  readonly environment: string
  readonly release: string | undefined
  /** Digits of the DSN's host label `o<digits>.`, where it has one. */
  readonly orgId: string | undefined
  /** Share of traces that this process keeps of those that it begins. Default 1. */
  readonly sampleRate?: number
}

const SAMPLE_RAND_DIGITS = 6
const BAGGAGE_PREFIX = "sentry-"
/** Traces whose context is remembered; the oldest is forgotten past this many. */
const REMEMBERED_TRACES = 1_000

export class SamplingContexts {
  readonly #frozen = new Map<string, SamplingContext>()
  readonly #project: SentryProject
  readonly #incoming: (span: ReadableSpan) => SamplingContext | undefined
  readonly #rootOf: (span: ReadableSpan) => OwnRoot | undefined

  /**
   * @param incoming the context that arrived with a trace that began elsewhere.
   * @param rootOf the open root that a span of this process is under, where that is known.
   */
  constructor(
    project: SentryProject,
    incoming: (span: ReadableSpan) => SamplingContext | undefined,
    rootOf: (span: ReadableSpan) => OwnRoot | undefined = () => undefined,
  ) {
    this.#project = project
    this.#incoming = incoming
    this.#rootOf = rootOf
  }

  /** The same for every span of a trace, from the first time that one is asked about. */
  of(span: ReadableSpan): SamplingContext {
    const { traceId } = span.spanContext()
    const known = this.#frozen.get(traceId)
    if (known !== undefined) return known
    const arrived = this.#incoming(span)
    const context = arrived ?? this.#head(span)
    // Next passes the trace on to itself before it has found the route. That leaves no process and must settle nothing.
    if (arrived === undefined && isLocalRoot(span) && !("transaction" in context)) return context
    const [oldest] = this.#frozen.keys()
    if (this.#frozen.size >= REMEMBERED_TRACES && oldest !== undefined) this.#frozen.delete(oldest)
    this.#frozen.set(traceId, context)
    return context
  }

  #head(span: ReadableSpan): SamplingContext {
    const { traceId } = span.spanContext()
    const { publicKey, environment, release, orgId } = this.#project
    const transaction = transactionName(this.#rootOf(span) ?? { root: span, route: undefined })
    return {
      trace_id: traceId,
      public_key: publicKey,
      environment,
      ...(release === undefined ? {} : { release }),
      ...(orgId === undefined ? {} : { org_id: orgId }),
      ...(transaction === undefined ? {} : { transaction }),
      sampled: String(isSampled(span)),
      ...this.#sampling(span),
    }
  }

  /** Sentry weighs by the rate: one that somebody else decided by, and did not tell, must not be made up. */
  #sampling(span: ReadableSpan): SamplingContext {
    const { sampleRate = 1 } = this.#project
    const { traceId } = span.spanContext()
    const { root } = this.#rootOf(span) ?? { root: span }
    if (root.parentSpanContext?.isRemote === true || shouldSample(traceId, sampleRate) !== isSampled(span)) return {}
    return { sample_rate: String(sampleRate), sample_rand: sampleRand(traceId).toFixed(SAMPLE_RAND_DIGITS) }
  }
}

/**
 * The root's name, where it is a route: a raw address has no place in what travels. Next names its root only when the
 * request is answered, and writes the trace into HTML before that; the spans below know the route by then.
 */
export function transactionName({ root, route }: OwnRoot): string | undefined {
  if (!isLocalRoot(root)) return undefined
  // Some instrumentations take an address with its query for the route.
  if (transactionSource(root) === "route") return root.name.split(/[?#]/, 1)[0]
  const method = root.attributes["http.method"]
  return typeof method === "string" && route !== undefined ? `${method} ${route}` : undefined
}

export function orgIdOfHost(host: string): string | undefined {
  return /^o(\d+)\./.exec(host)?.[1]
}

/** The `sentry-` entries of a `baggage` header, without the prefix; `undefined` where it has none. */
export function parseBaggage(header: string | undefined): SamplingContext | undefined {
  const context: SamplingContext = {}
  for (const entry of header?.split(",") ?? []) {
    const [key, value] = entry.trim().split("=")
    if (key?.startsWith(BAGGAGE_PREFIX) && value) context[key.slice(BAGGAGE_PREFIX.length)] = decode(value)
  }
  return Object.keys(context).length > 0 ? context : undefined
}

export function formatBaggage(context: SamplingContext): string {
  return Object.entries(context)
    .map(([key, value]) => `${BAGGAGE_PREFIX}${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join(",")
}

/** A value with a broken escape is somebody else's: it is kept as it stands. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
