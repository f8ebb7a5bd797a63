import type { RouteKind } from "#otel/inspector/queries/routes/route-reader.ts"

export const KIND_NAMES: Readonly<Record<RouteKind, { readonly one: string; readonly many: string }>> = {
  load: { one: "load", many: "Loads" },
  navigation: { one: "navigation", many: "Navigations" },
  request: { one: "request", many: "Requests" },
}
