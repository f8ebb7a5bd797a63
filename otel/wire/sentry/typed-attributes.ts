import type { AttributeValue } from "../../model/attributes.ts"
import type { ItemReader } from "./item-reader.ts"
import { isObject, objectOf } from "./parse-json.ts"
import type { OriginFacts, SdkFacts } from "./read-origin.ts"

/**
 * Attributes of Sentry's second span protocol and of its logs: `{ name: { value, type } }`. A whole number of type
 * `double` is a double.
 */
export function readTypedAttributes(reader: ItemReader, value: unknown, what: string): Map<string, AttributeValue> {
  const told = Object.entries(objectOf(value)).filter(([, attribute]) => isObject(attribute))
  const attributes = new Map<string, AttributeValue>()
  const plain = told.map(([name, attribute]) => [name, objectOf(attribute)["value"]] as const)
  reader.addAttributes(attributes, plain, what)
  for (const [name, attribute] of told) {
    const { type, value } = objectOf(attribute)
    if (!attributes.has(name)) continue
    if (type === "double" && typeof value === "number") attributes.set(name, value)
    // A long integer comes as its digits: a number would have lost some of them.
    if (type === "integer" && typeof value === "string" && /^-?\d{1,20}$/.test(value))
      attributes.set(name, BigInt(value))
  }
  return attributes
}

/** What the attributes that Sentry's SDKs put on each span and log say of where it came from. */
export function originOfAttributes(attributes: ReadonlyMap<string, AttributeValue>, headerSdk: SdkFacts): OriginFacts {
  const text = (name: string) => {
    const value = attributes.get(name)
    return typeof value === "string" ? value : ""
  }
  const name = text("sentry.sdk.name")
  return {
    sdk: name === "" ? headerSdk : { name, version: text("sentry.sdk.version") },
    platform: text("sentry.platform"),
    service: text("service.name"),
    serverName: text("sentry.server_name"),
    environment: text("sentry.environment"),
    release: text("sentry.release"),
  }
}
