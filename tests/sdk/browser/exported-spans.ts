import type { Payload } from "#tests/support/recording-sentry.ts"
import type { RecordingServer } from "#tests/support/recording-server.ts"

export type OtlpSpan = Payload

/** The spans of pages that reached a collector. */
export function pageSpans(collector: RecordingServer): OtlpSpan[] {
  return pageScopes(collector).flatMap(({ spans }) => spans)
}

/** The same, grouped by instrumentation scope. */
export function pageScopes(collector: RecordingServer): Payload[] {
  const exports = collector.requests.filter(({ path }) => path === "/v1/traces")
  return exports
    .flatMap(({ body }) => (JSON.parse(body.toString()) as Payload)["resourceSpans"])
    .filter(({ resource }: Payload) => attributesOf(resource)["telemetry.sdk.language"] === "webjs")
    .flatMap(({ scopeSpans }: Payload) => scopeSpans)
}

export function isPageload(span: OtlpSpan): boolean {
  return attributesOf(span)["sentry.op"] === "pageload"
}

export function attributesOf({ attributes }: Payload): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }: Payload) => [key, Object.values(value as Record<string, unknown>)[0]]),
  )
}

export const childrenOf = (root: Payload | undefined): Payload[] => root?.["spans"] ?? []
export const named = (root: Payload | undefined, name: string) =>
  childrenOf(root).find(({ description }) => description === name)
