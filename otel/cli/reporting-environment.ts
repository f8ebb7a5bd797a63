type Environment = Readonly<Record<string, string | undefined>>

const RUN_ATTRIBUTE = "pagespan.run"

/**
 * The variables by which a program's OpenTelemetry or Sentry SDK reports to the inspector. What is set already stays: whoever
 * set it meant it. All that the program sends carries the run's name.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @see https://spotlightjs.com/docs/setup/
 */
export function reportingEnvironment(given: Environment, url: string, run: string): Record<string, string> {
  const wanted = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    SENTRY_SPOTLIGHT: `${url}/stream`,
    NEXT_PUBLIC_SENTRY_SPOTLIGHT: `${url}/stream`,
    SENTRY_TRACES_SAMPLE_RATE: "1.0",
  }
  const unset = Object.entries(wanted).filter(([name]) => !given[name])
  return { ...Object.fromEntries(unset), OTEL_RESOURCE_ATTRIBUTES: withRun(given["OTEL_RESOURCE_ATTRIBUTES"], run) }
}

function withRun(attributes: string | undefined, run: string): string {
  if (!attributes) return `${RUN_ATTRIBUTE}=${run}`
  return attributes.includes(`${RUN_ATTRIBUTE}=`) ? attributes : `${attributes},${RUN_ATTRIBUTE}=${run}`
}
