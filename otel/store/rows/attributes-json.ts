import { attributeText } from "../../model/attribute-text.ts"
import type { Attributes } from "../../model/attributes.ts"

/** An attribute bag as the JSON object that its column is read from. */
export function attributesJson(attributes: Attributes): string {
  let json = ""
  for (const [name, value] of attributes)
    json += `${json === "" ? "" : ","}${quote(name)}:${quote(attributeText(value))}`
  return `{${json}}`
}

export function quote(text: string): string {
  return text === "" ? '""' : JSON.stringify(text)
}
