import { formatValue } from "#app/_ui/chart/chart-formats.ts"
import type { RouteKind, Vital } from "#otel/inspector/queries/routes/route-reader.ts"
import { VITAL_MEANINGS } from "#otel/inspector/queries/trace/trace-marks.ts"

export function formatMs(milliseconds: number | undefined): string {
  return formatValue(milliseconds, "milliseconds")
}

export function formatVital(vital: Vital, value: number): string {
  return formatValue(value, VITAL_MEANINGS[vital].unit)
}

export const KIND_NAMES: Readonly<Record<RouteKind, { readonly one: string; readonly many: string }>> = {
  load: { one: "page load", many: "Page loads" },
  navigation: { one: "navigation", many: "Navigations" },
  request: { one: "request", many: "Requests" },
}
