import type { SpanRecord } from "../../protocol/records/span.ts"
import { isInspector } from "../../protocol/transport/inspector-address.ts"
import { mayPropagate } from "../../protocol/transport/undici-request.ts"
import type { Connection } from "../options.ts"
import type { Environment } from "../reporting-program.ts"

/** Where spans are looked for. */
export interface Collector {
  readonly name: string
  /** Its address, where an app that is started sends to. */
  readonly url: string
  spansOf(traceId: string): Promise<readonly SpanRecord[]> | readonly SpanRecord[]
  stop(): Promise<void>
}

/** The collector that an environment names. An app that is started there exports to it. */
export interface NamedCollector {
  readonly variable: string
  readonly url: URL
}

/**
 * The running inspector. Without one, a new endpoint of this command.
 *
 * @param opensEndpoint whether to open that endpoint. An app that exports to another collector would send nothing to it.
 */
export async function findCollector(connection: Connection, opensEndpoint: boolean): Promise<Collector | undefined> {
  if (await isInspector(connection.url)) {
    const { InspectorClient } = await import("../inspector-client.ts")
    const client = new InspectorClient(connection)
    return {
      name: "the inspector",
      url: connection.url,
      spansOf: (traceId) => client.trace(traceId),
      stop: async () => undefined,
    }
  }
  if (!opensEndpoint) return undefined
  const { listenForSpans } = await import("./span-listener.ts")
  return { name: "the collector", ...(await listenForSpans()) }
}

/** `undefined` if the environment names none, or by what is no address of OTLP/HTTP. */
export function namedCollector(environment: Environment): NamedCollector | undefined {
  const variables = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
  const variable = variables.find((each) => environment[each])
  const text = variable && environment[variable]
  if (!variable || !text || !/^https?:/i.test(text) || !URL.canParse(text)) return undefined
  return { variable, url: new URL(text) }
}

/** Whether the address is the collector's. All names of this machine are one. */
export function isAt({ url: named }: NamedCollector, address: string): boolean {
  const url = new URL(address)
  const isLocal = [named, url].every((each) => mayPropagate(each, new Set()))
  return isLocal ? named.port === url.port : named.origin === url.origin
}

/**
 * The variables that make an app export its spans to the address. They name all that decides: a variable of the process
 * precedes one of the app's `.env` files, and a variable for traces precedes the general one.
 */
export function exporterEnvironment(url: string): Record<string, string> {
  return {
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url.replace(/\/$/, "")}/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
  }
}
