import { z } from "zod"
import {
  describeProblem,
  dsn,
  type Environment,
  httpUrl,
  INSPECTOR_VARIABLES,
  listOf,
  listOfForm,
  oneOf,
  ORIGIN_FORM,
  unknownVariables,
} from "../protocol/config-values.ts"
import { CREDENTIAL_HEADER } from "../protocol/secret-names.ts"
import { ENVELOPE_FORMATS } from "./envelope-format.ts"

/** Exact header names. Headers that hold credentials by definition are refused. */
const headerList = listOf(
  z
    .string()
    .refine(
      (name) => /^[\w.-]+$/.test(name) && !CREDENTIAL_HEADER.test(name),
      "must be header names like x-request-id, without headers of cookies and credentials",
    ),
).transform((names) => names.map((name) => name.toLowerCase()))

/** Origins in the form of a URL's `origin`. */
const ORIGIN_EXPECTED = "must be origins like https://cart.example"
const originList = listOfForm(ORIGIN_FORM, ORIGIN_EXPECTED)
  .pipe(z.array(z.string().refine((origin) => URL.canParse(origin), ORIGIN_EXPECTED)))
  .transform((origins) => origins.map((origin) => new URL(origin).origin))

/** The samplers of OpenTelemetry's specification that this SDK implements. */
const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const

/** The propagators of OpenTelemetry's specification that this SDK implements. */
const PROPAGATORS = ["tracecontext", "baggage", "none"] as const
const PROPAGATORS_EXPECTED = "must be tracecontext, baggage, both, or none"
const propagatorList = listOf(z.enum(PROPAGATORS, PROPAGATORS_EXPECTED)).refine(
  (names) => names.length > 0,
  PROPAGATORS_EXPECTED,
)

const share = z
  .string()
  .regex(/^(?:\d+(?:\.\d*)?|\.\d+)(?:e-?\d+)?$/i, "must be a number from 0 to 1, like 0.25")
  .transform(Number)
  .pipe(z.number().max(1, "must be a number from 0 to 1, like 0.25"))

const PROXIES_EXPECTED = "must be a number from 0 to 16"
const proxyCount = z
  .string()
  .regex(/^\d{1,2}$/, PROXIES_EXPECTED)
  .transform(Number)
  .pipe(z.number().max(16, PROXIES_EXPECTED))

/** The longest delay of a timer, which is the limit of counts too. */
const INTEGER_LIMIT = 2_147_483_647

const integerFrom = (least: number, expected: string) =>
  z
    .string()
    .trim()
    .regex(/^\d{1,10}$/, expected)
    .transform(Number)
    .pipe(z.number().min(least, expected).max(INTEGER_LIMIT, expected))

const spanCount = integerFrom(1, "must be a whole number of spans from 1, like 512")
const duration = integerFrom(1, "must be a whole number of milliseconds from 1, like 30000")
const delay = integerFrom(0, "must be a whole number of milliseconds from 0, like 5000")

const protocol = oneOf(["http/protobuf", "http/json"])
const GRPC = "grpc"
/** Default port of OTLP/gRPC, which does not serve OTLP/HTTP. */
const GRPC_PORT = "4317"

/** Every variable that the SDK reads. The inspector's schema has them too, and refuses values of which the SDK warns. */
export const sdkSchema = z.object({
  /** The DSN to which page and server send envelopes. If unset: that of the app's `Sentry.init` on the server; without one Sentry is off and everything else works. */
  SENTRY_DSN: dsn.optional(),
  /** The environment reported to Sentry, and `deployment.environment.name` of server and pages. If unset: that of the app's `Sentry.init` on the server; without one that of `OTEL_RESOURCE_ATTRIBUTES`, else `vercel-production`, `vercel-preview` or `vercel-development` on Vercel, `development` in `next dev`, else `production`. */
  SENTRY_ENVIRONMENT: z.string().min(1).default("production"),
  /** The release reported to Sentry, and `service.version` of server and pages. If unset: that of the app's `Sentry.init` on the server, else that of `OTEL_RESOURCE_ATTRIBUTES`, else that of the build. See [releases](../guide/sentry.md#releases). */
  SENTRY_RELEASE: z.string().min(1).optional(),
  /** Same-origin path to which pages post envelopes and OTLP. `off`: pages post to the DSN's ingest endpoint. If unset: `tunnelRoute` of `withPagespan` (by default `/monitoring`) if that route exists, else `off`. */
  PAGESPAN_TUNNEL: z
    .union([z.literal("off"), z.string().regex(/^\/(?!\/)[\w./-]*$/, "must be off or a path like /monitoring")])
    .optional(),
  /** Origins besides the server's own whose pages may post to the tunnel, comma-separated, like `https://shop.example`: those of an app that is exported as files. Its route handler exports `OPTIONS` too. See [without a server](../guide/adopt-in-next.md#without-a-server). */
  PAGESPAN_TUNNEL_ORIGINS: originList.prefault(""),
  /** How many proxies in front of this server append to `X-Forwarded-For`, 0 to 16. The tunnel limits each client by its address, and that many of the nearest addresses are proxies. 0: clients connect directly, and the header is ignored. If unset: proxies are those with a private address. See [client addresses](../guide/sentry.md#client-addresses). */
  PAGESPAN_TRUSTED_PROXIES: proxyCount.optional(),
  /** Format of spans for Sentry: `transaction`, `stream` for Sentry's second span protocol, or `auto`: a transaction, and a stream if a root has more children than a transaction may have. */
  PAGESPAN_SPANS: oneOf(ENVELOPE_FORMATS).default("auto"),
  /** Request headers to record on spans and errors in addition to the default ones, comma-separated, like `x-request-id`. A value whose name or shape is that of a secret is redacted. */
  PAGESPAN_REQUEST_HEADERS: headerList.prefault(""),
  /** Origins besides loopback to which the server's own `fetch` propagates its trace, comma-separated, like `https://cart.example:8080`. Origins are compared as a whole. If unset: those of `traceOrigins`. */
  PAGESPAN_TRACE_ORIGINS: originList.prefault(""),
  /** `true`: the SDK is off on the server: it makes no spans, sends nothing to Sentry, and the tunnel answers 503. */
  OTEL_SDK_DISABLED: z
    .string()
    .toLowerCase()
    .pipe(oneOf(["true", "false"]))
    .transform((word) => word === "true")
    .prefault("false"),
  /** `service.name`; pages append `-browser`. If unset: that of `OTEL_RESOURCE_ATTRIBUTES`, else the name of the app's package. */
  OTEL_SERVICE_NAME: z.string().min(1).optional(),
  /** How server and callers pass on the trace: `tracecontext` is `traceparent` and `tracestate`, `baggage` is W3C Baggage, comma-separated; `none`: neither. The SDK supports no other propagators: it ignores their names and uses the others, or the default. With Sentry on, `sentry-trace` and Sentry's members of `baggage` are read and written in any case. An SDK that your app sets up propagates what it is set up for. */
  OTEL_PROPAGATORS: propagatorList.prefault("tracecontext,baggage"),
  /** Sampler of the traces that go to Sentry and to collectors. Both get the same traces, selected once by trace id. `parentbased_`: the caller's decision applies instead, so set it only where every caller is trusted. The inspector in the same process gets all traces. */
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS).default("always_on"),
  /** Ratio of traces that the `traceidratio` samplers select, 0 to 1. */
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
  /** `none`: the SDK exports no spans to a collector. */
  OTEL_TRACES_EXPORTER: oneOf(["otlp", "none"]).default("otlp"),
  /** The collector to which the SDK exports over OTLP/HTTP: server spans, and page spans through the tunnel. If unset: no spans go to a collector. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** The same for traces alone, with its path. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  /** `http/protobuf` or `http/json`. The SDK does not support `grpc`: it sends `http/protobuf` instead, and nothing to an endpoint on port 4317, where every batch would fail. */
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default("http/protobuf"),
  /** The same for traces alone. If unset: `OTEL_EXPORTER_OTLP_PROTOCOL`. */
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  /** Maximum number of server spans in the export queue. Further spans are dropped, and counted as `queue_overflow`. */
  OTEL_BSP_MAX_QUEUE_SIZE: spanCount.default(2_048),
  /** Maximum number of server spans in one export request. */
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: spanCount.default(512),
  /** Milliseconds after which a queue that is not full is exported. */
  OTEL_BSP_SCHEDULE_DELAY: delay.default(5_000),
  /** Milliseconds after which the next export starts although the running one has not ended. */
  OTEL_BSP_EXPORT_TIMEOUT: duration.default(30_000),
})

export type SdkConfig = z.output<typeof sdkSchema>
type SdkKey = keyof SdkConfig
type Problems = Map<SdkKey, string>

/** A valid configuration, and a line for each variable with an unusable value. */
export interface ReadSdkConfig {
  readonly config: SdkConfig
  /** By variable: what is wrong, and what the SDK does instead. No line shows a secret. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * Merges environment over code over defaults, variable by variable. An empty string counts as unset, as OpenTelemetry
 * specifies for its variables. Never throws, so that no variable prevents an app's start: it ignores unusable values.
 *
 * @example
 * const { config, problems } = readSdkConfig(process.env, { PAGESPAN_SPANS: "stream" })
 */
export function readSdkConfig(environment: Environment, inCode: Partial<Record<SdkKey, string>> = {}): ReadSdkConfig {
  const code = { ...inCode, OTEL_PROPAGATORS: supportedPropagators(environment) }
  const chosen: Partial<Record<SdkKey, string>> = {}
  const wrong: Problems = new Map()
  for (const [key, field] of Object.entries(sdkSchema.shape) as [SdkKey, z.ZodType][]) {
    const given = [environment[key], code[key]].filter((text) => text !== undefined && text !== "")
    const usable = given.find((text) => field.safeParse(text).success)
    if (usable !== undefined) chosen[key] = usable
    const { error } = field.safeParse(given[0])
    if (error !== undefined) wrong.set(key, describeProblem(key, given[0], error.issues[0]?.message ?? ""))
  }
  // The variable for traces takes precedence, so a problem of the general one has no effect.
  if (chosen.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL !== undefined) wrong.delete("OTEL_EXPORTER_OTLP_PROTOCOL")
  const parsed = sdkSchema.parse(chosen)
  const isGrpc = unsupportedProtocol(environment, wrong) === GRPC && portOf(collectorEndpoint(parsed)) === GRPC_PORT
  const config: SdkConfig = isGrpc ? { ...parsed, OTEL_TRACES_EXPORTER: "none" } : parsed
  const problems = new Map<string, string>()
  for (const [key, line] of wrong) problems.set(key, `${line}; ${fallbackOf(key, config)}`)
  for (const key of unknownVariables(environment, [...Object.keys(sdkSchema.shape), ...INSPECTOR_VARIABLES]))
    problems.set(key, `${key} is not a variable of Pagespan: it is ignored`)
  return { config, problems }
}

export type Sampling = Pick<SdkConfig, "OTEL_TRACES_SAMPLER" | "OTEL_TRACES_SAMPLER_ARG">

/** Share of the traces started here that are sampled, 0 to 1. */
export function sampleRate({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Sampling): number {
  if (name.endsWith("traceidratio")) return ratio
  return name.endsWith("always_on") ? 1 : 0
}

/** URL of the collector's OTLP/HTTP traces endpoint; `undefined` without a collector. */
export function collectorEndpoint(config: SdkConfig): string | undefined {
  if (config.OTEL_TRACES_EXPORTER === "none") return undefined
  const base = config.OTEL_EXPORTER_OTLP_ENDPOINT
  return config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/$/, "")}/v1/traces`)
}

/** The names that are left of a list of propagators without those that the SDK does not support. */
function supportedPropagators({ OTEL_PROPAGATORS: names = "" }: Environment): string {
  const known: ReadonlySet<string> = new Set(PROPAGATORS)
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => known.has(name))
    .join(",")
}

/** The unsupported protocol that the environment asks for, if it does. */
function unsupportedProtocol(environment: Environment, wrong: Problems): string | undefined {
  const key = (["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"] as const).find((each) =>
    wrong.has(each),
  )
  return key && environment[key]
}

function portOf(endpoint: string | undefined): string | undefined {
  return endpoint && new URL(endpoint).port
}

/** What the SDK does instead of using a variable's value. */
function fallbackOf(key: SdkKey, config: SdkConfig): string {
  if (key === "SENTRY_DSN") return "Sentry is off"
  if (key.startsWith("OTEL_EXPORTER_OTLP_") && collectorEndpoint(config) === undefined)
    return key.endsWith("PROTOCOL")
      ? "no spans go to a collector. Set http/protobuf and the collector's endpoint for HTTP, like http://collector:4318"
      : "no spans go to a collector"
  if (key.endsWith("PROTOCOL")) return "http/protobuf is used"
  const used = config[key]
  return used === undefined || (Array.isArray(used) && used.length === 0) ? "it is ignored" : `${String(used)} is used`
}
