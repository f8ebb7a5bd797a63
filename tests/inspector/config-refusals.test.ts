import { describe, expect, test } from "vitest"
import { ConfigError, readConfig, unknownKeys } from "#otel/inspector/config.ts"

/** Invalid configurations: each is refused with one line that names the key and the value. */
const UNUSABLE: readonly (readonly [key: string, value: string])[] = [
  ["PORT", "-1"],
  ["PORT", "65536"],
  ["PORT", "4318.5"],
  ["PORT", "4318x"],
  ["PORT", "http"],
  ["PORT", "NaN"],
  ["PORT", "Infinity"],
  ["PORT", "4318,4319"],
  ["PAGESPAN_GRPC", "yes"],
  ["PAGESPAN_GRPC", "70000"],
  ["PAGESPAN_GRPC", "-1"],
  ["PAGESPAN_GRPC", "4317/tcp"],
  ["PAGESPAN_SPOTLIGHT", "true"],
  ["PAGESPAN_SPOTLIGHT", "ON"],
  ["PAGESPAN_SPOTLIGHT", "99999"],
  ["PAGESPAN_SELF", "true"],
  ["PAGESPAN_SELF", "0"],
  ["PAGESPAN_SELF", "On"],
  ["PAGESPAN_SPANS", "both"],
  ["PAGESPAN_SPANS", "Transaction"],
  ["PAGESPAN_SPANS", "stream,transaction"],
  ["PAGESPAN_REQUEST_HEADERS", "x request id"],
  ["PAGESPAN_REQUEST_HEADERS", "x-tenant, *"],
  ["PAGESPAN_REQUEST_HEADERS", "x-tenant,Cookie"],
  ["PAGESPAN_REQUEST_HEADERS", "set-cookie"],
  ["PAGESPAN_REQUEST_HEADERS", "Authorization"],
  ["PAGESPAN_REQUEST_HEADERS", "proxy-authorization"],
  ["PAGESPAN_TRACE_ORIGINS", "*"],
  ["PAGESPAN_TRACE_ORIGINS", "cart.example"],
  ["PAGESPAN_TRACE_ORIGINS", "https://cart.example/api"],
  ["PAGESPAN_TUNNEL_ORIGINS", "*"],
  ["PAGESPAN_TRACE_ORIGINS", "https://cart.example:99999"],
  ["PAGESPAN_TUNNEL", "on"],
  ["PAGESPAN_TUNNEL", "monitoring"],
  ["PAGESPAN_TUNNEL", "//elsewhere.example/m"],
  ["PAGESPAN_TUNNEL", "https://elsewhere.example/m"],
  ["PAGESPAN_TUNNEL", "/monitoring?to=x"],
  ["PAGESPAN_TUNNEL", "/monitoring#x"],
  ["PAGESPAN_TUNNEL", "/moni toring"],
  ["PAGESPAN_TUNNEL", "\\monitoring"],
  ["PAGESPAN_RETENTION", "7"],
  ["PAGESPAN_RETENTION", "d"],
  ["PAGESPAN_RETENTION", "7days"],
  ["PAGESPAN_RETENTION", "-7d"],
  ["PAGESPAN_RETENTION", "1.5d"],
  ["PAGESPAN_RETENTION", "7D"],
  ["PAGESPAN_RETENTION", "7w"],
  ["PAGESPAN_RETENTION", "20gb"],
  ["PAGESPAN_RETENTION", "20KB"],
  ["PAGESPAN_RETENTION", "20GB,7d"],
  ["PAGESPAN_RETENTION", "7d, 20GB"],
  ["PAGESPAN_RETENTION", "7d,"],
  ["PAGESPAN_RETENTION", "7d,20GB,1TB"],
  ["PAGESPAN_RETENTION", "forever"],
  ["PAGESPAN_RETENTION", "0d"],
  ["PAGESPAN_RETENTION", "36500d"],
  ["PAGESPAN_RETENTION", "0GB"],
  ["PAGESPAN_FORWARD_OTLP", "collector:4318"],
  ["PAGESPAN_FORWARD_OTLP", "grpc://collector:4317"],
  ["PAGESPAN_FORWARD_OTLP", "https://one.example, two.example"],
  ["PAGESPAN_FORWARD_OTLP", "file:///etc/passwd"],
  ["PAGESPAN_FORWARD_ALLOWED_ADDRESSES", "localhost"],
  ["PAGESPAN_FORWARD_ALLOWED_ADDRESSES", "10.0.0.0/33"],
  ["PAGESPAN_FORWARD_ALLOWED_ADDRESSES", "10.0.0"],
  ["PAGESPAN_FORWARD_ALLOWED_ADDRESSES", "10.0.0.1, *"],
  ["PAGESPAN_FORWARD_ALLOWED_ADDRESSES", "10.0.0.0-10.0.0.9"],
  ["PAGESPAN_ALLOWED_HOSTS", "*"],
  ["PAGESPAN_ALLOWED_HOSTS", "https://pagespan.example"],
  ["PAGESPAN_ALLOWED_HOSTS", "pagespan.example/path"],
  ["PAGESPAN_ALLOWED_HOSTS", "*.example"],
  ["PAGESPAN_ALLOWED_ORIGINS", "*"],
  ["PAGESPAN_ALLOWED_ORIGINS", "null"],
  ["PAGESPAN_ALLOWED_ORIGINS", "shop.example"],
  ["PAGESPAN_ALLOWED_ORIGINS", "https://shop.example/path"],
  ["PAGESPAN_ALLOWED_ORIGINS", "https://*.example"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER", "ALWAYS_ON"],
  ["OTEL_TRACES_SAMPLER", "half"],
  ["OTEL_TRACES_SAMPLER_ARG", "1.1"],
  ["OTEL_TRACES_SAMPLER_ARG", "-0.1"],
  ["OTEL_TRACES_SAMPLER_ARG", "50%"],
  ["OTEL_TRACES_SAMPLER_ARG", "0,5"],
  ["OTEL_TRACES_SAMPLER_ARG", "NaN"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces"],
  ["HOST", "0.0.0.0"],
  ["HOST", "::"],
  ["HOST", "192.168.1.7"],
  ["HOST", "pagespan.example"],
  ["HOST", "127.0.0.1.example"],
  ["HOST", "localhost."],
]

/** Keys whose value is or contains a secret: the line names the key and shows nothing of the value. */
const SECRET = "hunter2hunter2"
const UNUSABLE_SECRETS: readonly (readonly [key: string, value: string])[] = [
  ["SENTRY_DSN", SECRET],
  ["SENTRY_DSN", `https://${SECRET}@host`],
  ["SENTRY_DSN", `https://${SECRET}@host/`],
  ["SENTRY_DSN", `https://${SECRET}@host/project`],
  ["SENTRY_DSN", `ftp://${SECRET}@host/1`],
  ["SENTRY_DSN", `https://${SECRET}@host/1?x=${SECRET}`],
  ["SENTRY_DSN", `https://${SECRET}@host/1 `],
  ["SENTRY_DSN", `https://a@${SECRET}@host/1`],
  ["PAGESPAN_FORWARD_SENTRY", `${SECRET}@host/1`],
  ["PAGESPAN_FORWARD_SENTRY", `https://${SECRET}@host/1,https://${SECRET}@other/2`],
  ["CLICKHOUSE_URL", `clickhouse://user:${SECRET}@host`],
  ["CLICKHOUSE_URL", `user:${SECRET}@host:8123`],
  ["CLICKHOUSE_URL", `tcp://default:${SECRET}@host:9000`],
  ["PAGESPAN_TOKEN", SECRET.slice(0, 8)],
  ["PAGESPAN_TOKEN", `${SECRET}, not a token`],
]

function problemOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  }
  throw new Error("was accepted")
}

describe("an invalid configuration", () => {
  test.each(UNUSABLE)("%s = %s is refused with its name and value, in one line", (key, value) => {
    const problem = problemOf({ [key]: value })
    expect(problem.startsWith(`${key} is ${JSON.stringify(value)}`)).toBe(true)
    expect(problem).not.toContain("\n")
  })

  test.each(UNUSABLE_SECRETS)("%s, a secret, is refused with its name only (%#)", (key, value) => {
    const problem = problemOf({ [key]: value })
    expect(problem.startsWith(`${key} is a value that is not shown here: `)).toBe(true)
    expect(problem).not.toContain(SECRET.slice(0, 8))
  })

  test("with several problems has one line for each", () => {
    const problem = problemOf({ PORT: "x", PAGESPAN_SELF: "y", PAGESPAN_TOKEN: "z" })
    expect(problem.split("\n").map((line) => line.split(" ", 1)[0])).toEqual([
      "PORT",
      "PAGESPAN_TOKEN",
      "PAGESPAN_SELF",
    ])
  })

  test.each(["PAGESPAN_", "PAGESPAN_PORT", "PAGESPAN_RETENTON", "PAGESPAN_data", "PAGESPAN_TOKENS", "PAGESPAN_DSN"])(
    "includes %s, which is not a variable",
    (key) => expect(unknownKeys({ [key]: "x", PAGESPAN_DATA: "x", PATH: "/bin" })).toEqual([key]),
  )
})
