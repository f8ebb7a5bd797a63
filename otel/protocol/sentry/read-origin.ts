import { type AttributeValue, NO_ATTRIBUTES } from "../records/attributes.ts"
import type { InstrumentationScope, Resource } from "../records/span.ts"
import type { ItemReader } from "./item-reader.ts"
import { type JsonObject, objectOf } from "./json.ts"

/** Name and version of the SDK, from an event or the envelope's header. */
export interface SdkFacts {
  readonly name: string
  readonly version: string
}

export function readSdk(reader: ItemReader, value: unknown): SdkFacts {
  const { name, version } = objectOf(value)
  return { name: reader.text(name, "sdk.name"), version: reader.text(version, "sdk.version") }
}

export interface OriginFacts {
  readonly sdk: SdkFacts
  readonly platform: string
  /** The name of the service. For an event only its OpenTelemetry resource contains it. */
  readonly service?: string
  readonly serverName: string
  readonly environment: string
  readonly release: string
}

/**
 * The resource of records from Sentry's SDKs: OpenTelemetry's, if there is one, completed by Sentry's fields under OpenTelemetry's
 * names. `service.name` defaults to the host, and without a host to the SDK.
 */
export function readResource(given: Map<string, AttributeValue>, facts: OriginFacts): Resource {
  const { sdk, platform, service, serverName, environment, release } = facts
  const known = [
    ["service.name", service || serverName || serviceOfSdk(sdk.name, platform)],
    ["service.version", release],
    ["deployment.environment.name", environment],
    ["host.name", serverName],
    ["telemetry.sdk.name", sdk.name],
    ["telemetry.sdk.version", sdk.version],
    ["telemetry.sdk.language", platform],
  ] as const
  for (const [key, value] of known) if (value !== "" && !given.has(key)) given.set(key, value)
  return { attributes: given, schemaUrl: "" }
}

/** `sentry.javascript.browser` → `javascript.browser`. */
function serviceOfSdk(name: string, platform: string): string {
  return name.replace(/^sentry\./, "") || platform
}

export function readScope({ name, version }: SdkFacts): InstrumentationScope {
  return { name, version, attributes: NO_ATTRIBUTES }
}

/** The SDK of an event, else of its envelope. */
export function sdkOf(reader: ItemReader, event: JsonObject, headerSdk: SdkFacts): SdkFacts {
  const sdk = readSdk(reader, event["sdk"])
  return sdk.name === "" ? headerSdk : sdk
}

/** The origin of an event or transaction. The envelope's header has the SDK if the event has none. */
export function originOfEvent(reader: ItemReader, event: JsonObject, headerSdk: SdkFacts): OriginFacts {
  return {
    sdk: sdkOf(reader, event, headerSdk),
    platform: reader.text(event["platform"], "platform"),
    serverName: reader.text(event["server_name"], "server_name"),
    environment: reader.text(event["environment"], "environment"),
    release: reader.text(event["release"], "release"),
  }
}

export function resourceOfEvent(reader: ItemReader, event: JsonObject, origin: OriginFacts): Resource {
  const { resource } = objectOf(objectOf(event["contexts"])["otel"])
  const given = reader.attributes(resource, "contexts.otel.resource")
  removeDefaults(given, origin.sdk)
  return readResource(given, origin)
}

/**
 * Removes the defaults of Sentry's SDK for Node, which do not describe the service: a default name, and the SDK's version as the
 * service's, which would hide the release (`getSentryResource` of `@sentry/opentelemetry` 10.78).
 */
function removeDefaults(given: Map<string, AttributeValue>, sdk: SdkFacts): void {
  if (given.get("service.version") === sdk.version) given.delete("service.version")
  if (given.get("service.namespace") !== "sentry") return
  given.delete("service.namespace")
  if (given.get("service.name") === "node") given.delete("service.name")
}
