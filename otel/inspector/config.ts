import { z } from "zod"
import {
  describeProblem,
  dsn,
  type Environment,
  HOST_FORM,
  httpUrl,
  listOf,
  listOfForm,
  oneOf,
  ORIGIN_FORM,
  unknownVariables,
} from "../protocol/config-values.ts"
import { secret } from "../protocol/secret.ts"
import { sdkSchema } from "../sdk/server/local-inspector.ts"
import { TOKEN_FORM } from "./ingest/http/token.ts"

/**
 * The configuration of the inspector and of the command that starts it: the environment, then code, then defaults. The
 * inspector refuses to start on an invalid value. The message names the key and the value.
 */

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"])

const PORT_EXPECTED = "must be a port, 0 to 65535"
const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT_EXPECTED)
  .transform(Number)
  .pipe(z.number().max(65_535, PORT_EXPECTED))
const onOff = oneOf(["on", "off"]).transform((word) => word === "on")
/** A port, or `off` for none; `on` is the protocol's default port. */
const portOrOff = (defaultPort: number) =>
  z
    .union([z.enum(["on", "off"]), port], "must be on, off or a port")
    .transform((value) => (value === "off" ? undefined : value === "on" ? defaultPort : value))
    .prefault("on")
const networkList = listOf(
  z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], "must be addresses or networks like 10.0.0.0/8"),
)

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const UNIT_BYTES = { MB: 1e6, GB: 1e9, TB: 1e12 } as const
const DEFAULT_AGE = "7d"
const DEFAULT_SIZE = "20GB"
/** Fifty years. A row expires at a ClickHouse `DateTime`, which ends in 2106: past it, every row would have expired at once. */
const MAX_AGE_DAYS = 18_250

/** Which records the store retains. */
export interface Retention {
  readonly ageMs: number
  /** Size of the embedded store. */
  readonly maxBytes: number
}

/** `7d`, `20GB` or `7d,20GB`. */
const retention = z
  .string()
  .regex(
    /^(?:[1-9]\d*[smhd])?(?:(?:^|,)[1-9]\d*[MGT]B)?$/,
    "must be an age in s, m, h or d, a size in MB, GB or TB, or both, like 7d,20GB",
  )
  .transform((text): Retention => {
    const parts = text.split(",")
    const age = parts.find((part) => !part.endsWith("B")) ?? DEFAULT_AGE
    const size = parts.find((part) => part.endsWith("B")) ?? DEFAULT_SIZE
    return {
      ageMs: Number.parseInt(age, 10) * UNIT_MS[age.at(-1) as keyof typeof UNIT_MS],
      maxBytes: Number.parseInt(size, 10) * UNIT_BYTES[size.slice(-2) as keyof typeof UNIT_BYTES],
    }
  })
  .refine(({ ageMs }) => ageMs <= MAX_AGE_DAYS * UNIT_MS.d, `must be an age of at most ${MAX_AGE_DAYS}d`)

const DEFAULT_JOURNAL = "512MB"

/** The journal of records that are acknowledged and not yet stored. */
export interface JournalSettings {
  readonly maxBytes: number
  /** Acknowledge only after `fsync`: records then survive a power failure, not only a crash of the process. */
  readonly sync: boolean
}

/** `512MB`, `sync` or `512MB,sync`. */
const journal = z
  .string()
  .regex(/^(?:[1-9]\d*[MG]B)?(?:(?:^|,)sync)?$/, "must be a size in MB or GB, the word sync, or both, like 512MB,sync")
  .transform((text): JournalSettings => {
    const size = text.split(",").find((part) => part.endsWith("B")) ?? DEFAULT_JOURNAL
    return {
      maxBytes: Number.parseInt(size, 10) * UNIT_BYTES[size.slice(-2) as keyof typeof UNIT_BYTES],
      sync: text.endsWith("sync"),
    }
  })

/** Variables that the inspector and the command read in addition to the SDK's. */
export const inspectorSchema = z.object({
  /** Port to listen on. 4318 is the port of OTLP/HTTP, to which an SDK exports by default. 0: any free port. */
  PORT: port.default(4318),
  /** Address to listen on. Any address other than loopback requires `PAGESPAN_TOKEN`. */
  HOST: z.string().min(1).default("127.0.0.1"),
  /** Data directory of the embedded store, the journal and the forward queue. Only the user who runs the inspector can read it. */
  PAGESPAN_DATA: z.string().min(1).default(".pagespan"),
  /** Size of the journal, beyond which handlers answer 429 or 503; a request with more than three quarters of it is refused with 413. With `,sync`, handlers acknowledge only after `fsync`, so that records survive a power failure and not only a crash of the process. */
  PAGESPAN_JOURNAL: journal.prefault(DEFAULT_JOURNAL),
  /** URL of a ClickHouse server or cluster to use instead of the embedded store. */
  CLICKHOUSE_URL: httpUrl.transform(secret).optional(),
  /** Age (`s`, `m`, `h`, `d`; at most 18250d) and size (`MB`, `GB`, `TB`) beyond which the oldest records are deleted; either or both. The size applies to the embedded store. */
  PAGESPAN_RETENTION: retention.prefault(`${DEFAULT_AGE},${DEFAULT_SIZE}`),
  /** Token that clients must send; required to listen on any address other than loopback. The read API and the ingest endpoints expect it as `Authorization: Bearer`; browsers exchange it for a session at `/sign-in`. At least 16 letters, digits and `-._~+/=`. */
  PAGESPAN_TOKEN: z
    .string()
    .min(16, "must have at least 16 characters")
    .regex(TOKEN_FORM, "must consist of letters, digits and -._~+/=, which Authorization: Bearer can carry")
    .transform(secret)
    .optional(),
  /** Hosts to serve in addition to the loopback names, comma-separated. */
  PAGESPAN_ALLOWED_HOSTS: listOfForm(
    HOST_FORM,
    "must be hosts like pagespan.example or pagespan.example:8080",
  ).prefault(""),
  /** Origins whose pages may send records in addition to those on loopback, comma-separated. */
  PAGESPAN_ALLOWED_ORIGINS: listOfForm(ORIGIN_FORM, "must be origins like https://shop.example").prefault(""),
  /** Collectors to forward spans and logs to that arrive over OTLP, by OTLP/HTTP, comma-separated. Logs leave as they arrived, spans as JSON. What Sentry's SDKs send is not forwarded to them. */
  PAGESPAN_FORWARD_OTLP: listOf(httpUrl).prefault(""),
  /** DSN of a Sentry project to forward envelopes to, and spans and logs that arrive over OTLP. */
  PAGESPAN_FORWARD_SENTRY: dsn.optional(),
  /** Private addresses or networks that forwarding may connect to, like `10.0.0.7` or `127.0.0.0/8`. */
  PAGESPAN_FORWARD_ALLOWED_ADDRESSES: networkList.prefault(""),
  /**
   * Directory with the source maps of minified stack frames. Its files can be opened in an editor and are shown around stack
   * frames. If unset: frames are shown unmapped, and no file is read.
   */
  PAGESPAN_SOURCE_ROOT: z
    .string()
    .regex(/^[^\0]+$/, "must be a directory")
    .optional(),
  /** Whether the inspector records its own server and pages. */
  PAGESPAN_SELF: onOff.prefault("on"),
  /** Port of Spotlight's protocol, on loopback: a port, `off`, or `on` for 8969, to which Sentry's SDKs send by default. */
  PAGESPAN_SPOTLIGHT: portOrOff(8_969),
  /** Command that opens the editor, with `{file}`, `{line}` and `{column}`. If unset: `code --goto {file}:{line}:{column}`. It runs without a shell. */
  PAGESPAN_EDITOR: z.string().includes("{file}", "must contain {file}, like code --goto {file}:{line}").optional(),
  /** Port of OTLP/gRPC: a port, `off`, or `on` for 4317. */
  PAGESPAN_GRPC: portOrOff(4_317),
})

/**
 * Includes the SDK's variables, which configure the tracing of the inspector's own server and pages: an invalid value, of which
 * the SDK warns in another app, is refused here. Excludes how the SDK exports and propagates, since those variables often address other
 * programs in the same environment.
 */
const schema = inspectorSchema.extend(
  sdkSchema.omit({
    OTEL_SDK_DISABLED: true,
    OTEL_TRACES_EXPORTER: true,
    OTEL_PROPAGATORS: true,
    OTEL_EXPORTER_OTLP_PROTOCOL: true,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: true,
    OTEL_BSP_MAX_QUEUE_SIZE: true,
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: true,
    OTEL_BSP_SCHEDULE_DELAY: true,
    OTEL_BSP_EXPORT_TIMEOUT: true,
  }).shape,
)

export type Config = z.output<typeof schema>
export type ConfigInput = Partial<Record<keyof Config, string>>

/** An invalid configuration. The message has one line for each problem, with the key and the value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Merges environment over code over defaults and validates each value. Empty text counts as unset, as OpenTelemetry
 * specifies for its variables.
 *
 * @throws {ConfigError} when a value is invalid, or when `HOST` requires a token that is not set.
 */
export function readConfig(environment: Environment, code: ConfigInput = {}): Config {
  const given: Record<string, string> = {}
  for (const key of Object.keys(schema.shape)) {
    const value = environment[key] || code[key as keyof Config]
    if (value) given[key] = value
  }
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => describe(issue, given)).join("\n"))
  if (!LOOPBACK.has(parsed.data.HOST) && parsed.data.PAGESPAN_TOKEN === undefined)
    throw new ConfigError(
      `HOST is ${JSON.stringify(parsed.data.HOST)}, which is not loopback: set PAGESPAN_TOKEN to listen there`,
    )
  return parsed.data
}

/** Unknown `PAGESPAN_` variables: most likely typing mistakes, which would otherwise have no effect. */
export function unknownKeys(environment: Environment): string[] {
  return unknownVariables(environment, Object.keys(schema.shape))
}

function describe(issue: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string {
  const key = String(issue.path[0])
  return describeProblem(key, given[key], issue.message)
}
