import { percentDecoded } from "./percent-decoded.ts"

/**
 * The pairs of `OTEL_RESOURCE_ATTRIBUTES`, or of another of OpenTelemetry's variables in this form: separated by commas,
 * percent-encoded. A value that is not stays as it is, as in OpenTelemetry's SDK.
 *
 * @example
 * readPairs("service.version=1.2,team=a%2Cb") // { "service.version": "1.2", team: "a,b" }
 */
export function readPairs(text: string | undefined): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {}
  for (const pair of (text ?? "").split(",")) {
    const [key = "", ...value] = pair.split("=")
    if (key.trim() !== "" && value.length > 0) pairs[key.trim()] = percentDecoded(value.join("=").trim())
  }
  return pairs
}
