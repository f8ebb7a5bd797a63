import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  type Resource,
  resourceFromAttributes,
} from "@opentelemetry/resources"
import {
  ATTR_DEPLOYMENT_ENVIRONMENT_NAME,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from "@opentelemetry/semantic-conventions"
import type { Environment } from "../../protocol/config-values.ts"
import type { SdkConfig } from "../config.ts"
import type { BuildManifest } from "../routes/build-manifest.ts"
import { warnOfExistingSdk } from "./existing-sdk.ts"
import { internalPaths, InternalRequestSampler } from "./internal-requests.ts"
import { localInspector } from "./local-inspector.ts"
import { ownTraces, ServerPropagator } from "./propagator.ts"
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
      resource: resourceOf(config, manifest),
      sampler: new InternalRequestSampler(sampler, isInternal),
      spanProcessors: [...parts.spanProcessors],
    },
    { skips: (parent, attributes) => sampler.skips(parent, attributes) },
  )
  // With Sentry on, Sentry's context manager is registered already.
  provider.register({
    propagator: new ServerPropagator(parts.settings, sentry?.traces, ownTraces(config.OTEL_PROPAGATORS)),
    ...(sentry === undefined ? {} : { contextManager: null }),
  })
  warnOfExistingSdk(provider)
  startParts(parts)
}

/** Spans whose errors reach Sentry through `ProxyErrors` are recorded in unsampled traces too, since errors are not sampled. */
function traceSampler(config: SdkConfig, sentry: ServerSentry | undefined): TraceSampler {
  return new TraceSampler(config, sentry === undefined ? {} : { sampledOut: sentry.sampledOut, isNeeded: isProxySpan })
}

/** What the pages of this server say of themselves too, below what the environment says of this process. */
function resourceOf(config: SdkConfig, { serviceName }: BuildManifest): Resource {
  const named = resourceFromAttributes({
    [ATTR_SERVICE_NAME]: config.OTEL_SERVICE_NAME ?? serviceName,
    [ATTR_DEPLOYMENT_ENVIRONMENT_NAME]: config.SENTRY_ENVIRONMENT,
    ...(config.SENTRY_RELEASE === undefined ? {} : { [ATTR_SERVICE_VERSION]: config.SENTRY_RELEASE }),
  })
  const detected = attempt("detection of the resource", () =>
    detectResources({ detectors: [envDetector, hostDetector] }),
  )
  const own = defaultResource().merge(named)
  return detected === undefined ? own : own.merge(detected)
}
