import type { Attributes } from "@opentelemetry/api"

/** The status of an HTTP answer, by the stable name or the old one. */
export function httpStatusCode(attributes: Attributes): number | undefined {
  const code = Number(attributes["http.response.status_code"] ?? attributes["http.status_code"])
  return Number.isInteger(code) && code > 0 ? code : undefined
}
