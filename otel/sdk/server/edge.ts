import type { Client, Integration } from "@sentry/core"
import * as Sentry from "@sentry/nextjs"
import type { Instrumentation } from "next"
import { DSN_FORM } from "../../protocol/secret.ts"
import { environmentOf, releaseOf, serviceOf } from "../deployment.ts"
import { logFilterFailure } from "../filter-failure.ts"
import { currentFilters } from "../filters.ts"
import { processState } from "../process-state.ts"
import { buildManifest } from "../routes/build-manifest.ts"
import { routeOf } from "../routes/route-of-file.ts"
import { publicAddress } from "../routes/served-paths.ts"
import { addErrorProcessor } from "../sentry/error-processor.ts"
import { formatBaggage, orgIdOfHost, parseBaggage, projectContext } from "../sentry/sampling-context.ts"
import { redactServerEvent } from "../sentry/sanitize-payload.ts"
import { isForeign } from "./continue-trace.ts"
import { WITHOUT_SETUP } from "./existing-sdk.ts"

type RequestError = Parameters<Instrumentation.onRequestError>

const FLUSH_TIMEOUT_MS = 2_000
const SENTRY_TRACE = /^([\da-f]{32})-([\da-f]{16})(?:-([01]))?$/
/** The only integration that is needed: others patch `fetch`, or deduplicate equal errors of two requests. */
const LINKED_ERRORS = "LinkedErrors"

/**
 * Reports an error that only the edge runtime sees to Sentry: of `middleware.ts`, and of a page of either router, whose render
 * catches it. The server that runs the edge runtime reports those of route handlers and API routes. The edge runtime has no
 * tracer, so the error joins the trace of its request's headers, if there is one.
 */
export async function reportEdgeError(
  error: RequestError[0],
  request: RequestError[1],
  context: RequestError[2],
): Promise<void> {
  if (context.routeType === "route") return
  const client = Sentry.getClient() ?? startClient()
  if (client === undefined) return
  addProcessors(client)
  const routePath = routeOf(context.routePath)
  const path = publicAddress(request.path.split(/[?#]/, 1)[0] ?? request.path, routePath)
  Sentry.continueTrace(traceOf(request, client), () =>
    Sentry.captureRequestError(error, { ...request, path, headers: {} }, { ...context, routePath }),
  )
  await client.flush(FLUSH_TIMEOUT_MS)
}

/** The trace to continue, if the caller named one, in a sampling context of this project. */
function traceOf(request: RequestError[1], client: Client): Record<"sentryTrace" | "baggage", string | undefined> {
  const sentryTrace = headerOf(request, "sentry-trace")
  const [, traceId = "", spanId = "", flag] = SENTRY_TRACE.exec(sentryTrace ?? "") ?? []
  const { host = "", publicKey = "" } = client.getDsn() ?? {}
  const { environment = "production", release } = client.getOptions()
  const project = { publicKey, environment, release, orgId: orgIdOfHost(host) }
  const caller = parseBaggage(headerOf(request, "baggage"))
  if (sentryTrace === undefined || traceId === "" || (caller !== undefined && isForeign(caller, project)))
    return { sentryTrace: undefined, baggage: undefined }
  const spanContext = () => ({ traceId, spanId, traceFlags: Number(flag ?? 0) })
  return { sentryTrace, baggage: formatBaggage(projectContext(project, { spanContext })) }
}

function startClient(): Client | undefined {
  const { SENTRY_DSN: dsn, SENTRY_ENVIRONMENT: environment, SENTRY_RELEASE: release } = process.env
  const { OTEL_SDK_DISABLED: disabled } = process.env
  if (!dsn || !DSN_FORM.test(dsn) || disabled?.toLowerCase() === "true") return undefined
  Sentry.init({
    dsn,
    environment: environment || environmentOf(process.env),
    release: release || releaseOf(process.env),
    ...WITHOUT_SETUP,
    dataCollection: { userInfo: false, cookies: false, httpHeaders: false, httpBodies: [], urlQueryParams: false },
    integrations: (defaults: Integration[]) => defaults.filter(({ name }) => name === LINKED_ERRORS),
  })
  return Sentry.getClient()
}

/** Clients that filter and redact. Each bundle of the edge runtime has its own copy of this module, and all have one client. */
const state = processState<WeakSet<Client>>("edge-clients")

/** Filters and redacts what a client sends: that of the app's own `Sentry.init` too, as on the server. */
function addProcessors(client: Client): void {
  const prepared = (state.value ??= new WeakSet())
  if (prepared.has(client)) return
  prepared.add(client)
  // No inspector runs in the edge runtime, so drops cannot be reported.
  addErrorProcessor(client, {
    side: "server",
    service: process.env.OTEL_SERVICE_NAME || serviceOf(process.env) || buildManifest().serviceName,
    filters: currentFilters,
    traceOf: () => undefined,
    drop: () => undefined,
    filterFailed: logFilterFailure,
  })
  client.addEventProcessor((event) => redactServerEvent(event, client.getOptions().normalizeDepth))
}

function headerOf({ headers }: RequestError[1], name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
