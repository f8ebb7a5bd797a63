import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources"
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions"
import type { Environment } from "../../protocol/config-values.ts"
import type { SdkConfig } from "../config.ts"
import { warnOfExistingSdk } from "./existing-sdk.ts"
import { internalPaths, InternalRequestSampler } from "./internal-requests.ts"
import { localInspector } from "./local-inspector.ts"
import { ServerPropagator } from "./propagator.ts"
import { isProxySpan } from "./request-errors.ts"
import { serverRuntime } from "./runtime.ts"
import { TraceSampler } from "./sampler.ts"
import type { ServerSentry } from "./sentry.ts"
import { serverParts, startParts } from "./server-parts.ts"
import { ServerTracerProvider } from "./tracer-provider.ts"
import { attempt } from "./warnings.ts"

/**
 * Starts tracing in this server process, once. It registers a tracer provider that exports to Sentry, the collector and the
 * local inspector, and propagates the trace in both directions. A variable with an unusable value is ignored with one
 * warning, and so is a part that does not start.
 */
export function startServer(environment: Environment): void {
  if (serverRuntime() !== undefined) return
  const parts = serverParts(environment, { isJoined: false, exportsSpans: true })
  if (parts === undefined) return
  const { config, manifest, sentry, tunnelPath } = parts
  const isInternal = internalPaths(tunnelPath, manifest.basePath, () => localInspector() !== undefined)
  const sampler = traceSampler(config, sentry)
  const provider = new ServerTracerProvider(
    {
      resource: resourceOf(config.OTEL_SERVICE_NAME ?? manifest.serviceName),
      sampler: new InternalRequestSampler(sampler, isInternal),
      spanProcessors: [...parts.spanProcessors],
    },
    { skips: (parent, attributes) => sampler.skips(parent, attributes) },
  )
  // With Sentry on, Sentry's context manager is registered already.
  provider.register({
    propagator: new ServerPropagator(parts.settings, sentry?.traces),
    ...(sentry === undefined ? {} : { contextManager: null }),
  })
  warnOfExistingSdk(provider)
  startParts(parts)
}

/** Spans whose errors reach Sentry through `ProxyErrors` are recorded in unsampled traces too, since errors are not sampled. */
function traceSampler(config: SdkConfig, sentry: ServerSentry | undefined): TraceSampler {
  return new TraceSampler(config, sentry === undefined ? {} : { sampledOut: sentry.sampledOut, isNeeded: isProxySpan })
}

function resourceOf(service: SdkConfig["OTEL_SERVICE_NAME"]) {
  const named = defaultResource().merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: service }))
  const detected = attempt("detection of the resource", () =>
    detectResources({ detectors: [envDetector, hostDetector] }),
  )
  return detected === undefined ? named : named.merge(detected)
}
