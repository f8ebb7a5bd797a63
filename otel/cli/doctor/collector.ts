import type { SpanRecord } from "../../protocol/records/span.ts"
import { isInspector } from "../../protocol/transport/inspector-address.ts"
import type { Connection } from "../options.ts"

/** Where spans are looked for. */
export interface Collector {
  readonly name: string
  /** Its address, where an app that is started sends to. */
  readonly url: string
  spansOf(traceId: string): Promise<readonly SpanRecord[]> | readonly SpanRecord[]
  stop(): Promise<void>
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
      spansOf: async (traceId) => (await client.trace(traceId)).spans,
      stop: async () => undefined,
    }
  }
  if (!opensEndpoint) return undefined
  const { listenForSpans } = await import("./span-listener.ts")
  return { name: "the collector", ...(await listenForSpans()) }
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
