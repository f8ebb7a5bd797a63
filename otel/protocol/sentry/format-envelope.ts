/**
 * The text of an envelope with one JSON item. Item payloads hold no raw line break: JSON escapes them.
 *
 * @see https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export function formatEnvelope(header: object, itemType: string, payload: object): string {
  return [header, { type: itemType }, payload].map((part) => JSON.stringify(part)).join("\n")
}
