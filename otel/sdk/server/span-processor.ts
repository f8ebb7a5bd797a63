import type { Context } from "@opentelemetry/api"
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-base"
import { processState } from "../process-state.ts"
import { safely } from "../../protocol/safely.ts"
import { warnOfFailure, warnOnce } from "./warnings.ts"

/** Options of `PagespanSpanProcessor`. */
export interface PagespanSpanProcessorOptions {
  /**
   * Whether the server's spans go to the collector of the `OTEL_EXPORTER_OTLP_*` variables. Set it to `false` if your SDK has an
   * exporter of its own for that collector, as `"auto"` of `@vercel/otel` is. Spans of pages go there in either case. Default: `true`.
   */
  readonly exportToCollector?: boolean
}

/** Most calls that wait until the SDK has loaded: as many as a batch processor's queue holds by default. */
const EARLY_LIMIT = 2_048

const joining = processState<Promise<void>>("joining")

/** Resolves when the processor that was constructed in this process works. `undefined` if there is none. */
export function joinedSdk(): Promise<void> | undefined {
  return joining.value
}

/**
 * Joins a tracer that your app sets up itself, with `registerOTel` of `@vercel/otel`, with `NodeSDK` or with any tracer provider
 * of OpenTelemetry's SDK 2. That SDK creates, samples and propagates the spans. Pagespan does the rest of what `register` does:
 * it bridges them to Sentry, exports them to the configured collector, sends them to an inspector in the same process, names and
 * redacts what it sends, adds Sentry's headers and the page's settings to the propagator, and hides the tunnel's requests.
 *
 * Construct it once: a second one in the same process does nothing, and the log says so. Nothing here throws, and in the edge
 * runtime it does nothing. It loads in the background: up to 2,048 calls wait for that, and further ones are counted as dropped
 * spans.
 *
 * @param options see `PagespanSpanProcessorOptions` for the defaults.
 *
 * @example
 * registerOTel({
 *   serviceName: "shop",
 *   spanProcessors: ["auto", new PagespanSpanProcessor({ exportToCollector: false })],
 * })
 *
 * @example
 * new NodeSDK({ spanProcessors: [new PagespanSpanProcessor()] }).start()
 */
export class PagespanSpanProcessor implements SpanProcessor {
  #joined: SpanProcessor | undefined
  /** The calls that came before the SDK had loaded. `undefined` afterwards. */
  #early: ((joined: SpanProcessor) => void)[] | undefined = []
  #missed = 0

  constructor(options: PagespanSpanProcessorOptions = {}) {
    if (joining.value === undefined) joining.value = this.#load(options)
    else this.#giveWay()
  }

  onStart(span: Span, parentContext: Context): void {
    this.#call((joined) => joined.onStart(span, parentContext))
  }

  onEnd(span: ReadableSpan): void {
    this.#call((joined) => joined.onEnd(span))
  }

  /** Sends what is buffered. Never rejects. */
  async forceFlush(): Promise<void> {
    await joining.value
    await this.#joined?.forceFlush()
  }

  /** Sends what is buffered, and drops what has not ended. Never rejects. */
  async shutdown(): Promise<void> {
    await joining.value
    await this.#joined?.shutdown()
  }

  /** Another one of this process has the spans. */
  #giveWay(): void {
    this.#early = undefined
    if (process.env.NEXT_RUNTIME !== "edge")
      warnOnce(
        "second processor",
        "PagespanSpanProcessor was constructed before in this process, and the second one does nothing: give one to one tracer provider",
      )
  }

  #call(work: (joined: SpanProcessor) => void): void {
    const joined = this.#joined
    if (joined !== undefined) return safely(() => work(joined))
    if (this.#early === undefined) return
    if (this.#early.length < EARLY_LIMIT) this.#early.push(work)
    else this.#missed += 1
  }

  /** Loads the SDK, which the edge runtime cannot run: a bundler can remove this form of the condition from what it loads. */
  async #load({ exportToCollector = true }: PagespanSpanProcessorOptions): Promise<void> {
    try {
      if (process.env.NEXT_RUNTIME !== "edge") {
        const { joinSdk } = await import("./joined/joined-sdk.ts")
        this.#joined = joinSdk(process.env, exportToCollector, this.#missed)
      }
    } catch (error) {
      warnOfFailure("tracing of this server", error)
    }
    const early = this.#early ?? []
    this.#early = undefined
    for (const work of early) this.#call(work)
  }
}
