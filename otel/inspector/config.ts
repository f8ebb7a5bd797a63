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
import { sdkSchema } from "../sdk/server/local-inspector.ts"

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
  /** Port to listen on. 4318 is OTLP/HTTP's: an SDK with no configuration finds Pagespan. 0 takes any free one. */
  PORT: port.default(4318),
  /** Address to listen on. Anything but loopback needs `PAGESPAN_TOKEN`. */
  HOST: z.string().min(1).default("127.0.0.1"),
  /** Data directory of the embedded store, the journal and the forward queue. Only its user may read it. */
  PAGESPAN_DATA: z.string().min(1).default(".pagespan"),
  /** Size of the journal that is acknowledged from, past which handlers answer 429 or 503; with `,sync` an acknowledgement waits for the disk itself (power drop), not for the operating system alone (a crash of the process). */
  PAGESPAN_JOURNAL: journal.prefault(DEFAULT_JOURNAL),
  /** A ClickHouse server or cluster instead of the embedded store. */
  CLICKHOUSE_URL: httpUrl.transform(secret).optional(),
  /** Age (`s`, `m`, `h`, `d`) and size (`MB`, `GB`, `TB`) past which the oldest records go; either or both. The size is that of the embedded store. */
  PAGESPAN_RETENTION: retention.prefault(`${DEFAULT_AGE},${DEFAULT_SIZE}`),
  /** Needed to listen on anything but loopback. Asked for by read API and handlers as `Authorization: Bearer`, and by the screens, which give a session for it at `/sign-in`. At least 16 characters. */
  PAGESPAN_TOKEN: z.string().min(16, "must have at least 16 characters").transform(secret).optional(),
  /** Hosts that are served beside the loopback names, comma-separated. */
  PAGESPAN_ALLOWED_HOSTS: listOfForm(
    HOST_FORM,
    "must be hosts like pagespan.example or pagespan.example:8080",
  ).prefault(""),
  /** Origins whose pages may write beside those on loopback, comma-separated. */
  PAGESPAN_ALLOWED_ORIGINS: listOfForm(ORIGIN_FORM, "must be origins like https://shop.example").prefault(""),
  /** Collectors that what the handlers take goes on to, by OTLP/HTTP, comma-separated. */
  PAGESPAN_FORWARD_OTLP: listOf(httpUrl).prefault(""),
  /** A Sentry project that all envelopes and spans are sent on to. */
  PAGESPAN_FORWARD_SENTRY: dsn.optional(),
  /** Private addresses or networks that may be forwarded to, like `10.0.0.7` or `127.0.0.0/8`. */
  PAGESPAN_FORWARD_ALLOWED_ADDRESSES: networkList.prefault(""),
  /**
   * Directory whose source maps say where a minified frame of an error comes from, and whose files may be opened in an
   * editor and shown around stack frames. None: frames are shown as they came, and no file is read.
   */
  PAGESPAN_SOURCE_ROOT: z
    .string()
    .regex(/^[^\0]+$/, "must be a directory")
    .optional(),
  /** Whether Pagespan's own pages and server show up in its own inspector. */
  PAGESPAN_SELF: onOff.prefault("on"),
  /** Port of Spotlight's protocol, on loopback: a port, `off`, or `on` for 8969, where Sentry's SDKs look. */
  PAGESPAN_SPOTLIGHT: portOrOff(8_969),
  /** Command that opens the editor, with `{file}`, `{line}` and `{column}`. None: `code --goto {file}:{line}:{column}`. No shell reads it. */
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
