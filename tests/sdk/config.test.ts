import { describe, expect, test } from "vitest"
import { collectorEndpoint, readSdkConfig, type SdkConfig } from "#otel/sdk/config.ts"

const DEFAULTS = readSdkConfig({}).config
const SECRET = "hunter2hunter2"

/** What the SDK cannot use: the line in the log from its beginning to its end, and what the configuration has instead. */
const UNUSABLE: readonly (readonly [key: keyof SdkConfig, value: string, seen: string, instead: string])[] = [
  ["SENTRY_DSN", `https://${SECRET}@host`, "a value that is not shown here", "Sentry is off"],
  ["SENTRY_DSN", SECRET, "a value that is not shown here", "Sentry is off"],
  ["SENTRY_DSN", `https://${SECRET}@host:99999/1`, "a value that is not shown here", "Sentry is off"],
  ["PAGESPAN_TUNNEL", "monitoring", '"monitoring"', "it is ignored"],
  ["PAGESPAN_SPANS", "both", '"both"', "auto is used"],
  ["PAGESPAN_REQUEST_HEADERS", "x-tenant,Cookie", '"x-tenant,Cookie"', "it is ignored"],
  ["PAGESPAN_TRACE_ORIGINS", "cart.example", '"cart.example"', "it is ignored"],
  ["PAGESPAN_TUNNEL_ORIGINS", "*", '"*"', "it is ignored"],
  ["OTEL_SDK_DISABLED", "yes", '"yes"', "false is used"],
  ["OTEL_TRACES_SAMPLER", "parentbased_jaeger_remote", '"parentbased_jaeger_remote"', "always_on is used"],
  ["OTEL_TRACES_SAMPLER_ARG", "10%", '"10%"', "1 is used"],
  ["OTEL_TRACES_SAMPLER_ARG", "2", '"2"', "1 is used"],
  ["OTEL_TRACES_SAMPLER_ARG", "-0.1", '"-0.1"', "1 is used"],
  ["OTEL_TRACES_EXPORTER", "jaeger", '"jaeger"', "otlp is used"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317", '"collector:4317"', "no spans go to a collector"],
  [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    `ftp://user:${SECRET}@collector/a?key=${SECRET}`,
    '"ftp://***@collector/a?***"',
    "no spans go to a collector",
  ],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", `user:${SECRET}@collector`, '"***@collector"', "no spans go to a collector"],
  ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0", '"0"', "512 is used"],
  ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "-1", '"-1"', "512 is used"],
  ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "0.5", '"0.5"', "512 is used"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "0", '"0"', "2048 is used"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "Infinity", '"Infinity"', "2048 is used"],
  ["OTEL_BSP_SCHEDULE_DELAY", "-1", '"-1"', "5000 is used"],
  ["OTEL_BSP_SCHEDULE_DELAY", "2147483648", '"2147483648"', "5000 is used"],
  ["OTEL_BSP_EXPORT_TIMEOUT", "0", '"0"', "30000 is used"],
  ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces", '"/v1/traces"', "no spans go to a collector"],
]

describe("a value that the SDK cannot use", () => {
  test.each(UNUSABLE)(
    "%s = %s is ignored, with a line that has the variable, the value, what it must be and the effect",
    (key, value, seen, instead) => {
      const { config, problems } = readSdkConfig({ [key]: value })
      expect([...problems.keys()]).toEqual([key])
      const line = problems.get(key) ?? ""
      expect(line.startsWith(`${key} is ${seen}: must `)).toBe(true)
      expect(line.endsWith(`; ${instead}`)).toBe(true)
      expect(line).not.toContain(SECRET)
      expect(config).toEqual(DEFAULTS)
    },
  )

  test.each([
    ["HOST", "0.0.0.0"],
    ["PORT", String.raw`\\.\pipe\abc`],
    ["PORT", "/tmp/x.sock"],
    ["CLICKHOUSE_URL", "clickhouse://x"],
    ["PAGESPAN_TOKEN", "short"],
    ["PAGESPAN_DATA", "/nowhere"],
    ["PAGESPAN_GRPC", "yes"],
  ])("of a variable of the inspector is not reported: %s = %s", (key, value) => {
    expect(readSdkConfig({ [key]: value })).toEqual({ config: DEFAULTS, problems: new Map() })
  })

  test("of an unknown variable is not shown, since it may be a secret", () => {
    const { config, problems } = readSdkConfig({ PAGESPAN_TOKENS: SECRET })
    expect([...problems]).toEqual([["PAGESPAN_TOKENS", "PAGESPAN_TOKENS is not a variable of Pagespan: it is ignored"]])
    expect(config).toEqual(DEFAULTS)
  })

  test("does not affect other variables and the app's options in code", () => {
    const environment = { PAGESPAN_SPANS: "both", OTEL_SERVICE_NAME: "shop", OTEL_TRACES_SAMPLER: "always_off" }
    const { config, problems } = readSdkConfig(environment, { PAGESPAN_SPANS: "stream" })
    expect(config).toEqual({
      ...DEFAULTS,
      PAGESPAN_SPANS: "stream",
      OTEL_SERVICE_NAME: "shop",
      OTEL_TRACES_SAMPLER: "always_off",
    })
    expect(problems.get("PAGESPAN_SPANS")).toMatch(/; stream is used$/)
  })

  test("is not the empty text, which counts as unset", () => {
    const environment = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, ""]))
    expect(readSdkConfig(environment)).toEqual({ config: DEFAULTS, problems: new Map() })
  })
})

describe("OTEL_PROPAGATORS", () => {
  test.each([
    ["tracecontext", ["tracecontext"]],
    ["baggage, tracecontext", ["baggage", "tracecontext"]],
    ["none", ["none"]],
    ["", ["tracecontext", "baggage"]],
  ])("%j is used as it is", (value, used) => {
    const { config, problems } = readSdkConfig({ OTEL_PROPAGATORS: value })
    expect([config.OTEL_PROPAGATORS, [...problems]]).toEqual([used, []])
  })

  test.each([
    ["b3", "tracecontext,baggage"],
    ["b3multi,jaeger,xray,ottrace", "tracecontext,baggage"],
    ["tracecontext,b3", "tracecontext"],
    ["none,b3", "none"],
    [",", "tracecontext,baggage"],
  ])("%j, which names what the SDK does not support, leaves %s, with a line that says so", (value, used) => {
    const { config, problems } = readSdkConfig({ OTEL_PROPAGATORS: value })
    expect([...problems]).toEqual([
      [
        "OTEL_PROPAGATORS",
        `OTEL_PROPAGATORS is ${JSON.stringify(value)}: must be tracecontext, baggage, both, or none; ${used} is used`,
      ],
    ])
    expect(config.OTEL_PROPAGATORS).toEqual(used.split(","))
  })
})

describe("the collector's endpoint", () => {
  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://one:4318" }, "http://one:4318/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://one:4318/otlp/" }, "http://one:4318/otlp/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://two/x" }, "http://two/x"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://one", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "collector:4317" },
      "http://one/v1/traces",
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://one", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "" }, "http://one/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://one", OTEL_TRACES_EXPORTER: "none" }, undefined],
    [{}, undefined],
  ])("of %o is %s", (environment, endpoint) => {
    expect(collectorEndpoint(readSdkConfig(environment).config)).toBe(endpoint)
  })
})

describe("OTLP/gRPC, which the SDK does not speak", () => {
  const GRPC = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }

  function read(environment: Record<string, string>) {
    const { config, problems } = readSdkConfig(environment)
    return { endpoint: collectorEndpoint(config), lines: [...problems.values()] }
  }

  test("becomes http/protobuf if the endpoint may support it, with a line in the log", () => {
    expect(read({ ...GRPC, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" })).toEqual({
      endpoint: "http://collector:4318/v1/traces",
      lines: [expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": .+; http\/protobuf is used$/)],
    })
  })

  test("exports nothing to a port where each batch would fail, and says what to set", () => {
    expect(read({ ...GRPC, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4317" })).toEqual({
      endpoint: undefined,
      lines: [expect.stringMatching(/^OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": .+; no spans go to a collector\. Set /)],
    })
  })

  test("is not used if the variables for traces override it", () => {
    expect(
      read({
        ...GRPC,
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4317",
      }),
    ).toEqual({ endpoint: "http://collector:4317/v1/traces", lines: [] })
    expect(
      read({
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c:4317/v1/traces",
      }),
    ).toEqual({ endpoint: undefined, lines: [expect.stringMatching(/^OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "grpc"/)] })
  })
})
