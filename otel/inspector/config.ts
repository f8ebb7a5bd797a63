import { z } from "zod"
import {
  describeProblem,
  dsn,
  type Environment,
  HOST_FORM,
  httpUrl,
  listOf,
  listOfForm,
  ORIGIN_FORM,
  unknownVariables,
} from "../protocol/config-values.ts"
import { secret } from "../protocol/secret.ts"
import { sdkSchema } from "../sdk/config.ts"

/**
 * The schema of the inspector's configuration, and of the command that starts it. Environment, then code, then default; every
 * problem names the key and the value seen, and ends the start.
 */

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"])

const port = z.coerce.number().int().min(0).max(65_535)
const onOff = z.enum(["on", "off"]).transform((word) => word === "on")
/** A port, or `off` for none; `on` is the protocol's own port. */
const portOrOff = (own: number) =>
  z
    .union([z.enum(["on", "off"]), port], "must be on, off or a port")
    .transform((told) => (told === "off" ? undefined : told === "on" ? own : told))
    .prefault("on")
const networkList = listOf(
  z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], "must be addresses or networks like 10.0.0.0/8"),
)

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const UNIT_BYTES = { MB: 1e6, GB: 1e9, TB: 1e12 } as const
const DEFAULT_AGE = "7d"
const DEFAULT_SIZE = "20GB"

/** What is kept: an age and a size, either of which may be left out. */
export interface Retention {
  readonly ageMs: number
  /** Of the embedded store. */
  readonly maxBytes: number
}

/** `7d`, `20GB` or `7d,20GB`. */
const retention = z
  .string()
  .regex(
    /^(?:[1-9]\d*[smhd])?(?:(?:^|,)[1-9]\d*[MGT]B)?$/,
    "must be an age of s, m, h or d and a size of MB, GB or TB, either or both, like 7d,20GB",
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

const DEFAULT_JOURNAL = "512MB"

/** How what was acknowledged is kept until it is in the store. */
export interface JournalSettings {
  readonly maxBytes: number
  /** Whether acknowledged means on the disk, which outlives the machine's death too, rather than with the operating system. */
  readonly sync: boolean
}

/** `512MB`, `sync` or `512MB,sync`. */
const journal = z
  .string()
  .regex(/^(?:\d+[MG]B)?(?:(?:^|,)sync)?$/, "must be a size of MB or GB, the word sync, or both, like 512MB,sync")
  .transform((text): JournalSettings => {
    const size = text.split(",").find((part) => part.endsWith("B")) ?? DEFAULT_JOURNAL
    return {
      maxBytes: Number.parseInt(size, 10) * UNIT_BYTES[size.slice(-2) as keyof typeof UNIT_BYTES],
      sync: text.endsWith("sync"),
    }
  })

/** What the inspector and the command read beside the SDK's variables. */
export const inspectorSchema = z.object({
  /** Port to listen on. 4318 is the default port of OTLP/HTTP, so an SDK needs no configuration. 0: any free port. */
  PORT: port.default(4318),
  /** Address to listen on. Any address other than loopback requires `PAGESPAN_TOKEN`. */
  HOST: z.string().min(1).default("127.0.0.1"),
  /** Data directory of the embedded store, the journal and the forward queue. Its mode is 0700. */
  PAGESPAN_DATA: z.string().min(1).default(".pagespan"),
  /** Maximum size of the journal, in `MB` or `GB`. Beyond it, endpoints answer 429 or 503. With `,sync` an acknowledged record survives power loss, not only a crash of the process. */
  PAGESPAN_JOURNAL: journal.prefault(DEFAULT_JOURNAL),
  /** URL of a ClickHouse server or cluster to use instead of the embedded store. */
  CLICKHOUSE_URL: httpUrl.transform(secret).optional(),
  /** Age (`s`, `m`, `h`, `d`) and size (`MB`, `GB`, `TB`) beyond which the oldest records are deleted; either or both. The size applies to the embedded store. */
  PAGESPAN_RETENTION: retention.prefault(`${DEFAULT_AGE},${DEFAULT_SIZE}`),
  /** Token of at least 16 characters, required to listen on any address other than loopback. Read API and ingest endpoints require it as `Authorization: Bearer`; screens require it once, at `/sign-in`. */
  PAGESPAN_TOKEN: z.string().min(16, "must have at least 16 characters").transform(secret).optional(),
  /** Allowed `Host` names besides those of loopback, comma-separated. */
  PAGESPAN_ALLOWED_HOSTS: listOfForm(
    HOST_FORM,
    "must be hosts like pagespan.example or pagespan.example:8080",
  ).prefault(""),
  /** Origins besides loopback whose pages may write, comma-separated. */
  PAGESPAN_ALLOWED_ORIGINS: listOfForm(ORIGIN_FORM, "must be origins like https://shop.example").prefault(""),
  /** Collectors to which everything ingested is forwarded over OTLP/HTTP, comma-separated. */
  PAGESPAN_FORWARD_OTLP: listOf(httpUrl).prefault(""),
  /** DSN of a Sentry project to which all envelopes and spans are forwarded. */
  PAGESPAN_FORWARD_SENTRY: dsn.optional(),
  /** Private addresses or networks to which forwarding is allowed, comma-separated, like `10.0.0.7` or `127.0.0.0/8`. */
  PAGESPAN_FORWARD_ALLOWED_ADDRESSES: networkList.prefault(""),
  /**
   * Directory with source maps for minified stack frames, and with the source files that the inspector may open in an editor and show
   * around stack frames. None: frames stay minified and no file is read.
   */
  PAGESPAN_SOURCE_ROOT: z
    .string()
    .regex(/^[^\0]+$/, "must be a directory")
    .optional(),
  /** Whether the inspector shows the telemetry of its own pages and server. */
  PAGESPAN_SELF: onOff.prefault("on"),
  /** Port of Spotlight's protocol, on loopback: a port, `off`, or `on` for 8969, the default of Sentry's SDKs. */
  PAGESPAN_SPOTLIGHT: portOrOff(8_969),
  /** Command that opens the editor, with `{file}`, `{line}` and `{column}`. None: `code --goto {file}:{line}:{column}`. It runs without a shell. */
  PAGESPAN_EDITOR: z.string().includes("{file}", "must have {file} in it, like code --goto {file}:{line}").optional(),
  /** Port of OTLP/gRPC: a port, `off`, or `on` for 4317. */
  PAGESPAN_GRPC: portOrOff(4_317),
})

/**
 * With the SDK's variables, which the inspector's own server and pages are traced by: a value that the SDK would warn of in
 * another app is refused here. Left out is how the SDK exports, which another program's environment may say.
 */
const schema = inspectorSchema.extend(
  sdkSchema.omit({
    OTEL_SDK_DISABLED: true,
    OTEL_TRACES_EXPORTER: true,
    OTEL_EXPORTER_OTLP_PROTOCOL: true,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: true,
  }).shape,
)

export type Config = z.output<typeof schema>
export type ConfigInput = Partial<Record<keyof Config, string>>

/** A configuration that cannot be used. Its message has one line for each problem, naming the key and the value seen. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"
}

/**
 * Merges environment over code over defaults and validates each value. Empty text counts as unset, as OpenTelemetry
 * specifies for its variables.
 *
 * @throws {ConfigError} when a value is not usable, or when values do not go together.
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

/** An unknown `PAGESPAN_` variable is most likely a typing mistake that would otherwise change nothing, silently. */
export function unknownKeys(environment: Environment): string[] {
  return unknownVariables(environment, Object.keys(schema.shape))
}

function describe(issue: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string {
  const key = String(issue.path[0])
  return describeProblem(key, given[key], issue.message)
}
