import type { Environment } from "../protocol/config-values.ts"
import { mayPropagate } from "../protocol/transport/undici-request.ts"

/** The collector that an environment names. An app that is started there exports to it. */
export interface NamedCollector {
  readonly variable: string
  readonly url: URL
}

/** `undefined` if the environment names none, or by what is no address of OTLP/HTTP. */
export function namedCollector(environment: Environment): NamedCollector | undefined {
  const variables = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]
  const variable = variables.find((each) => environment[each])
  const text = variable && environment[variable]
  if (!variable || !text || !/^https?:/i.test(text) || !URL.canParse(text)) return undefined
  return { variable, url: new URL(text) }
}

/** Whether the address is the collector's. All names of this machine are one. */
export function isAt({ url: named }: NamedCollector, address: string): boolean {
  const url = new URL(address)
  const isLocal = [named, url].every((each) => mayPropagate(each, new Set()))
  return isLocal ? named.port === url.port : named.origin === url.origin
}
