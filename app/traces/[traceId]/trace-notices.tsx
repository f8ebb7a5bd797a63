import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { Notices } from "#app/_ui/layout/notices.tsx"
import type { WaterfallColumns } from "#otel/inspector/queries/trace/waterfall-columns.ts"
import type { LoadedWaterfall } from "./_state/use-waterfall.ts"

interface TraceNoticesProps {
  readonly waterfall: WaterfallColumns
  readonly rest: LoadedWaterfall["rest"]
  /** Rows loaded. */
  readonly loaded: number
}

/** Warnings: missing parents, parent cycles, clock skew, and rows that are not shown. */
export function TraceNotices({ waterfall, rest, loaded }: TraceNoticesProps) {
  return <Notices notices={notices(waterfall, rest, loaded)} />
}

function notices(waterfall: WaterfallColumns, rest: LoadedWaterfall["rest"], loaded: number): string[] {
  const { missingParents, missingParentCount, ringCount, skewedCount, shown, stored, spanCount } = waterfall
  const messages: string[] = []
  if (stored > shown)
    messages.push(
      `Showing the earliest ${formatCount(shown)} of ${countOf(stored, "span")}. Search and export cover only these.`,
    )
  if (rest === "failed")
    messages.push(
      `Showing ${formatCount(loaded)} of ${countOf(spanCount, "span")}. The others could not be loaded; reload to try again.`,
    )
  if (missingParentCount > 0) {
    const others = missingParentCount - missingParents.length
    const named = missingParents.join(", ") + (others > 0 ? ` and ${formatCount(others)} more` : "")
    messages.push(
      `${countOf(missingParentCount, "parent span")} missing: ${named}. Not sampled, not sent here, or not arrived yet. Their children are shown at the top level.`,
    )
  }
  if (ringCount > 0) messages.push(`${countOf(ringCount, "parent cycle")}, cut at the earliest span of each.`)
  if (skewedCount > 0)
    messages.push(
      `${countOf(skewedCount, "span")} ${skewedCount === 1 ? "starts" : "start"} before the parent, so the host clocks differ. Bars are not corrected.`,
    )
  return messages
}
