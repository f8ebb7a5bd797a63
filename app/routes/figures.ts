import { formatValue } from "#app/_ui/chart/chart-formats.ts"
import type { Vital, RouteKind } from "#otel/inspector/queries/routes/route-reader.ts"
import { VITAL_MEANINGS } from "#otel/inspector/queries/trace/trace-marks.ts"

export function formatMs(milliseconds: number | undefined): string {
  return formatValue(milliseconds, "milliseconds")
}

export function formatVital(vital: Vital, value: number): string {
  return formatValue(value, VITAL_MEANINGS[vital].unit)
}

/** `0 %`, `3.1 %`; what happened at all is never told as nothing. */
export function formatShare(part: number, whole: number): string {
  return part === 0 || whole === 0 ? "0\u00A0%" : formatValue(part / whole, "share")
}

export const KIND_NAMES: Readonly<Record<RouteKind, { readonly one: string; readonly many: string }>> = {
  load: { one: "load", many: "Loads" },
  navigation: { one: "navigation", many: "Navigations" },
  request: { one: "request", many: "Requests" },
}
