import type { Environment } from "../protocol/config-values.ts"
import { RECORDING_VARIABLE } from "../protocol/recording-variable.ts"
import { isInspector, localUrl } from "../protocol/transport/inspector-address.ts"
import { mayPropagate } from "../protocol/transport/undici-request.ts"
import { otlpHeaders } from "./run.ts"
import { TraceFile } from "./trace-file.ts"

/** Where the spans of a test run go. */
export interface Destination {
  /** Sends a request of OTLP/JSON. Rejects with a line for the user. Resolves to the number of spans that were rejected. */
  send(body: string): Promise<number>
  /** Ends what is open. */
  close(): Promise<void>
  /** The inspector that receives the spans, if it is one. */
  readonly inspector?: InspectorAddress
  /** The file that receives the spans, if it is one, relative to the working directory. */
  readonly file?: string
}

/** An inspector that answers to the read API. */
export interface InspectorAddress {
  readonly url: string
  readonly token: string | undefined
  /** What `pagespan record` writes, or `NO_RECORDING`. The inspector ends with the program, so nobody opens an address of it later. */
  readonly recording?: string
}

/** The address at which the inspector's screens are after the run. */
export function lastingUrl(inspector: InspectorAddress | undefined): string | undefined {
  return inspector?.recording === undefined ? inspector?.url : undefined
}

const REQUEST_TIMEOUT_MS = 5_000

/**
 * `OTEL_EXPORTER_OTLP_ENDPOINT`, else an inspector that answers at `PAGESPAN_URL` or on this machine, else a file.
 * Takes a second at most.
 *
 * @param file path of the file.
 */
export async function findDestination(environment: Environment, file: string): Promise<Destination> {
  const endpoint = tracesEndpoint(environment)
  const inspector = await findInspector(environment, endpoint)
  if (endpoint !== undefined) return new OtlpEndpoint(endpoint, otlpHeaders(environment), inspector)
  if (inspector !== undefined) return new OtlpEndpoint(`${inspector.url}/v1/traces`, {}, inspector)
  return new TraceFile(file)
}

/**
 * The inspector of this environment, if it answers. `PAGESPAN_TOKEN` goes to `PAGESPAN_URL` and to this machine only.
 *
 * @param endpoint the OTLP endpoint of the environment, which may be an inspector's.
 */
export async function findInspector(
  environment: Environment,
  endpoint = tracesEndpoint(environment),
): Promise<InspectorAddress | undefined> {
  const given = environment["PAGESPAN_URL"]?.replace(/(?<!\/)\/+$/, "")
  const ofEndpoint = endpoint?.replace(/\/v1\/traces$/, "")
  const url = given || ofEndpoint || localUrl(environment)
  if (!URL.canParse(url) || !(await isInspector(url))) return undefined
  const isTrusted = Boolean(given) || mayPropagate(url, new Set())
  const token = isTrusted ? environment["PAGESPAN_TOKEN"] || undefined : undefined
  const recording = environment[RECORDING_VARIABLE]
  return { url, token, ...(recording !== undefined && { recording }) }
}

function tracesEndpoint(environment: Environment): string | undefined {
  const base = environment["OTEL_EXPORTER_OTLP_ENDPOINT"]
  const endpoint = environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || (base && `${base.replace(/\/$/, "")}/v1/traces`)
  return endpoint && URL.canParse(endpoint) ? endpoint : undefined
}

/** An endpoint of OTLP/HTTP: an inspector or a collector. */
class OtlpEndpoint implements Destination {
  readonly inspector?: InspectorAddress
  readonly #headers: Readonly<Record<string, string>>
  /** Whether the endpoint is that of `inspector`. */
  readonly #isInspector: boolean

  constructor(
    private readonly url: string,
    headers: Readonly<Record<string, string>>,
    inspector: InspectorAddress | undefined,
  ) {
    this.#isInspector = inspector !== undefined && new URL(url).origin === new URL(inspector.url).origin
    const token = this.#isInspector ? inspector?.token : undefined
    this.#headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    }
    if (inspector !== undefined) this.inspector = inspector
  }

  async send(body: string): Promise<number> {
    const response = await this.#post(body)
    if (response.status === 401 && this.#isInspector)
      throw new Error(`${this.#shown} requires a token: set PAGESPAN_TOKEN`)
    if (!response.ok) throw new Error(`${this.#shown} answers ${response.status}`)
    const answer: unknown = await response.json().catch(() => undefined)
    const { partialSuccess } = (answer ?? {}) as { partialSuccess?: { rejectedSpans?: string | number } }
    return Number(partialSuccess?.rejectedSpans ?? 0)
  }

  async close(): Promise<void> {}

  /** Without user, password and query. */
  get #shown(): string {
    const { origin, pathname } = new URL(this.url)
    return origin + pathname
  }

  async #post(body: string): Promise<Response> {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    try {
      return await fetch(this.url, { method: "POST", headers: this.#headers, body, signal, redirect: "error" })
    } catch (error) {
      const reason = signal.aborted ? `does not answer within ${REQUEST_TIMEOUT_MS / 1_000} s` : "cannot be reached"
      throw new Error(`${this.#shown} ${reason}`, { cause: error })
    }
  }
}
