import { z } from "zod"
import { DSN_FORM, secret } from "./secret.ts"

/**
 * Shared by the configuration schemas of the SDK (`sdk/config.ts`) and of the inspector (`inspector/config.ts`). Both are
 * read at run time and never inlined into a build.
 */

export type Environment = Readonly<Record<string, string | undefined>>

const commaList = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
)

export const httpUrl = z.url({ protocol: /^https?$/, error: "must be a URL like http://localhost:4318" })

/** One of a few words. */
export const oneOf = <const Words extends readonly [string, string, ...string[]]>(words: Words) =>
  z.enum(words, `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`)

export const HOST_FORM = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i
export const ORIGIN_FORM = /^https?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?\/?$/i

/** A comma-separated list, each entry checked by itself. */
export const listOf = <Entry extends z.ZodType<unknown, string>>(entry: Entry) => commaList.pipe(z.array(entry))

/** A comma-separated list whose entries have one form. */
export const listOfForm = (form: RegExp, message: string) => listOf(z.string().regex(form, message))

/** A DSN: `{protocol}://{public key}@{host}[:port][/path]/{project id}`. */
export const dsn = z
  .string()
  .regex(DSN_FORM, "must look like https://key@host/1")
  .refine((text) => URL.canParse(text), "must look like https://key@host/1")
  .transform(secret)

/**
 * Variables of the inspector. The SDK does not read them, and does not report them as unknown.
 */
export const INSPECTOR_VARIABLES = [
  "PORT",
  "HOST",
  "CLICKHOUSE_URL",
  "PAGESPAN_DATA",
  "PAGESPAN_JOURNAL",
  "PAGESPAN_RETENTION",
  "PAGESPAN_TOKEN",
  "PAGESPAN_ALLOWED_HOSTS",
  "PAGESPAN_ALLOWED_ORIGINS",
  "PAGESPAN_FORWARD_OTLP",
  "PAGESPAN_FORWARD_SENTRY",
  "PAGESPAN_FORWARD_ALLOWED_ADDRESSES",
  "PAGESPAN_SOURCE_ROOT",
  "PAGESPAN_SELF",
  "PAGESPAN_SPOTLIGHT",
  "PAGESPAN_EDITOR",
  "PAGESPAN_GRPC",
] as const

const SECRET_KEYS: ReadonlySet<string> = new Set([
  "SENTRY_DSN",
  "CLICKHOUSE_URL",
  "PAGESPAN_FORWARD_SENTRY",
  "PAGESPAN_TOKEN",
])

/** An invalid value in one line: the variable, its value unless it is a secret, and what it must be. */
export function describeProblem(key: string, seen: string | undefined, message: string): string {
  const shown = SECRET_KEYS.has(key) ? "a value that is not shown here" : JSON.stringify(withoutCredentials(seen ?? ""))
  return `${key} is ${shown}: ${message}`
}

/** Removes user, password and query of a URL. */
function withoutCredentials(text: string): string {
  return text.replace(/(?<!\S)([a-z][a-z0-9+.-]{0,30}:\/\/)?\S*@/gi, "$1***@").replace(/^([^/][^?]*\?).*/s, "$1***")
}

/** Variables of `pagespan/testing`. Neither the SDK nor the inspector reads them. */
const TESTING_VARIABLES = ["PAGESPAN_URL", "PAGESPAN_TEST_RUN_ID", "PAGESPAN_RECORDING"]

/** Variables that start with `PAGESPAN_` and are unknown: most likely typos. */
export function unknownVariables(environment: Environment, known: readonly string[]): string[] {
  return Object.keys(environment).filter(
    (key) => key.startsWith("PAGESPAN_") && ![...known, ...TESTING_VARIABLES].includes(key),
  )
}
