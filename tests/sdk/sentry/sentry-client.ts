import {
  type Client,
  createStackParser,
  createTransport,
  linkedErrorsIntegration,
  type TransportMakeRequestResponse,
} from "@sentry/core"
import { nodeStackLineParser, ServerRuntimeClient } from "@sentry/core/server"
import type { ErrorFacts, Filters } from "#otel/sdk/filters.ts"
import { countingTransport, watchClientDrops } from "#otel/sdk/sentry/client-reports.ts"
import { addErrorProcessor, type ErrorTrace } from "#otel/sdk/sentry/error-processor.ts"
import { redactEvent } from "#otel/sdk/sentry/sanitize-payload.ts"
import type { Payload } from "#tests/support/recording-sentry.ts"

interface TestClientOptions {
  readonly side?: ErrorFacts["side"]
  readonly filters?: Partial<Filters>
  readonly trace?: ErrorTrace
  /** The response of Sentry. Default: 200. */
  answer?(): TransportMakeRequestResponse | Promise<TransportMakeRequestResponse>
  readonly bufferSize?: number
  /** Integrations in addition to linked errors. */
  readonly client?: Partial<ConstructorParameters<typeof ServerRuntimeClient>[0]>
}

/** A real Sentry client, configured as Pagespan's are. Only its network is replaced. */
export function sentryClient(options: TestClientOptions = {}) {
  const items: Payload[] = []
  const headers: Payload[] = []
  const itemHeaders: Payload[] = []
  /** Of each envelope. */
  const itemCounts: number[] = []
  const drops: string[] = []
  const failed: string[] = []
  const drop = (reason: string, category: string, count = 1) => drops.push(`${reason}/${category}=${count}`)
  const client = new ServerRuntimeClient({
    dsn: "https://key@sentry.example/1",
    integrations: [linkedErrorsIntegration()],
    stackParser: createStackParser(nodeStackLineParser()),
    traceLifecycle: "static",
    transport: countingTransport(
      (transportOptions) =>
        createTransport(
          { ...transportOptions, ...(options.bufferSize === undefined ? {} : { bufferSize: options.bufferSize }) },
          async ({ body }) => {
            const answer = (await options.answer?.()) ?? { statusCode: 200 }
            if ((answer.statusCode ?? 200) < 300) {
              record(String(body), headers, itemHeaders, items)
              itemCounts.push(Math.floor(String(body).trimEnd().split("\n").length / 2))
            }
            return answer
          },
        ),
      drop,
    ),
    ...options.client,
  })
  client.init()
  watchClientDrops(client, drop)
  addErrorProcessor(client, {
    side: options.side ?? "server",
    service: "shop",
    filters: () => options.filters ?? {},
    traceOf: () => options.trace,
    filterFailed: (filter) => failed.push(filter),
    drop: (reason) => drop(reason, "error"),
  })
  client.addEventProcessor((event) => redactEvent(event))
  // As Sentry's own scopes pass an error to their client.
  const capture = (error: unknown) => client.captureException(error, { originalException: error })
  return {
    client: client as Client,
    capture,
    items,
    itemHeaders,
    itemCounts,
    headers,
    drops,
    failed,
    flush: () => client.flush(1_000),
  }
}

function record(body: string, ...lists: Payload[][]): void {
  for (const [index, line] of body.split("\n").entries()) lists[index]?.push(JSON.parse(line) as Payload)
}
