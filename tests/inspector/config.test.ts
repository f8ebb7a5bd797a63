import { inspect } from "node:util"
import { describe, expect, test } from "vitest"
import { ConfigError, inspectorSchema, readConfig, unknownKeys } from "#otel/inspector/config.ts"
import { INSPECTOR_VARIABLES } from "#otel/protocol/config-values.ts"

describe("configuration", () => {
  test("has a default for every variable that is not optional", () => {
    expect(readConfig({})).toMatchObject({
      PORT: 4318,
      HOST: "127.0.0.1",
      SENTRY_ENVIRONMENT: "production",
      PAGESPAN_DATA: ".pagespan",
      PAGESPAN_RETENTION: { ageMs: 7 * 86_400_000, maxBytes: 20e9 },
      PAGESPAN_ALLOWED_HOSTS: [],
    })
    expect(readConfig({}).SENTRY_DSN).toBeUndefined()
  })

  test.each([
    ["12h", { ageMs: 12 * 3_600_000, maxBytes: 20e9 }],
    ["500MB", { ageMs: 7 * 86_400_000, maxBytes: 500e6 }],
    ["30d,1TB", { ageMs: 30 * 86_400_000, maxBytes: 1e12 }],
  ])("reads a retention of %s", (text, retention) => {
    expect(readConfig({ PAGESPAN_RETENTION: text }).PAGESPAN_RETENTION).toEqual(retention)
  })

  test.each([
    ["64MB", { maxBytes: 64e6, sync: false }],
    ["sync", { maxBytes: 512e6, sync: true }],
    ["2GB,sync", { maxBytes: 2e9, sync: true }],
  ])("reads the journal setting %s", (text, journal) => {
    expect(readConfig({ PAGESPAN_JOURNAL: text }).PAGESPAN_JOURNAL).toEqual(journal)
  })

  test("normalizes lists of headers and origins", () => {
    expect(
      readConfig({
        PAGESPAN_REQUEST_HEADERS: "X-Tenant, x-request-id",
        PAGESPAN_TRACE_ORIGINS: "https://Cart.example:443/",
      }),
    ).toMatchObject({
      PAGESPAN_REQUEST_HEADERS: ["x-tenant", "x-request-id"],
      PAGESPAN_TRACE_ORIGINS: ["https://cart.example"],
    })
  })

  test("prefers the environment to code, and code to the default", () => {
    const code = { SENTRY_ENVIRONMENT: "from code", PAGESPAN_DATA: "from-code" }
    expect(readConfig({ SENTRY_ENVIRONMENT: "from environment" }, code)).toMatchObject({
      SENTRY_ENVIRONMENT: "from environment",
      PAGESPAN_DATA: "from-code",
    })
  })

  test("treats empty text as unset, as OpenTelemetry specifies", () => {
    expect(readConfig({ PORT: "", SENTRY_DSN: "" })).toEqual(readConfig({}))
  })

  test.each([
    ["PORT", "70000"],
    ["PORT", "4318x"],
    ["PORT", " "],
    ["PORT", "/tmp/x.sock"],
    ["PAGESPAN_GRPC", "70000"],
    ["PAGESPAN_FORWARD_OTLP", "collector:4318"],
    ["SENTRY_DSN", "ftp://key@host/1"],
    ["SENTRY_DSN", "https://host/1"],
    ["SENTRY_DSN", "https://key@host/"],
    ["PAGESPAN_TUNNEL", "monitoring"],
    ["PAGESPAN_TUNNEL", "https://elsewhere/monitoring"],
    ["PAGESPAN_RETENTION", "7"],
    ["PAGESPAN_RETENTION", "7d,"],
    ["PAGESPAN_RETENTION", "20GB,7d"],
    ["PAGESPAN_RETENTION", "7 days"],
    ["PAGESPAN_JOURNAL", "512"],
    ["PAGESPAN_JOURNAL", "0MB"],
    ["PAGESPAN_JOURNAL", "512MB,"],
    ["PAGESPAN_JOURNAL", "sync,512MB"],
    ["PAGESPAN_EDITOR", "code"],
    ["CLICKHOUSE_URL", "clickhouse://host"],
    ["PAGESPAN_TOKEN", "short"],
    ["PAGESPAN_SELF", "yes"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
  ])("names %s when it is %s, and says what it must be", (key, value) => {
    expect(() => readConfig({ [key]: value })).toThrow(ConfigError)
    expect(() => readConfig({ [key]: value })).toThrow(new RegExp(`^${key} is .+: must `))
  })

  test("needs a token to listen beyond loopback", () => {
    expect(() => readConfig({ HOST: "0.0.0.0" })).toThrow(/PAGESPAN_TOKEN/)
    expect(readConfig({ HOST: "0.0.0.0", PAGESPAN_TOKEN: "a-token-of-sixteen" }).HOST).toBe("0.0.0.0")
  })

  test("prints no secret, in any format", () => {
    const config = readConfig({
      SENTRY_DSN: "https://publickey@host/1",
      CLICKHOUSE_URL: "http://user:hidden@host:8123",
    })
    for (const printed of [JSON.stringify(config), inspect(config, { depth: 9 }), String(config.SENTRY_DSN)]) {
      expect(printed).not.toMatch(/publickey|hidden/)
    }
    expect(config.SENTRY_DSN?.reveal()).toBe("https://publickey@host/1")
  })

  test("does not show an invalid secret", () => {
    expect(() => readConfig({ PAGESPAN_TOKEN: "hush" })).toThrow(/^(?!.*hush)/s)
  })

  test("has exactly the variables that the SDK knows as the inspector's", () => {
    expect(Object.keys(inspectorSchema.shape).toSorted()).toEqual(INSPECTOR_VARIABLES.toSorted())
  })

  test("finds a misspelled variable", () => {
    expect(unknownKeys({ PAGESPAN_RETENTON: "1d", PAGESPAN_DATA: "x", PATH: "/bin" })).toEqual(["PAGESPAN_RETENTON"])
  })
})
