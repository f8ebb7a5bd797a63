import { countOf, formatCount } from "#app/ui/format-count.ts"
import { Notices } from "#app/ui/notices.tsx"
import type { WaterfallJson } from "#otel/inspector/queries/trace/waterfall-json.ts"
import type { LoadedWaterfall } from "./_state/use-waterfall.ts"

interface TraceNoticesProps {
  readonly waterfall: WaterfallJson
  readonly rest: LoadedWaterfall["rest"]
  /** Rows that are here. */
  readonly loaded: number
}

/** What is not as it seems: missing parents, cut rings, clocks that differ, and how much of the trace this is. */
export function TraceNotices({ waterfall, rest, loaded }: TraceNoticesProps) {
  return <Notices notices={notices(waterfall, rest, loaded)} />
}

function notices(waterfall: WaterfallJson, rest: LoadedWaterfall["rest"], loaded: number): string[] {
  const { missingParents, missingParentCount, ringCount, skewedCount, shown, stored, spanCount } = waterfall
  const said: string[] = []
  if (stored > shown)
    said.push(
      `Showing ${formatCount(shown)} of ${countOf(stored, "span")}: the earliest. Search and export know no others.`,
    )
  if (rest === "failed")
    said.push(
      `Showing ${formatCount(loaded)} of ${countOf(spanCount, "span")}: the others could not be read. Reload to try again.`,
    )
  if (missingParentCount > 0) {
    const others = missingParentCount - missingParents.length
    const named = missingParents.join(", ") + (others > 0 ? ` and ${formatCount(others)} more` : "")
    said.push(
      `${countOf(missingParentCount, "parent span")} missing: ${named}. Not sampled, not sent here, or still on the way. What is below stands at the top level.`,
    )
  }
  if (ringCount > 0)
    said.push(
      `${countOf(ringCount, "ring")} of spans that name each other as parents: cut at the earliest span of each.`,
    )
  if (skewedCount > 0)
    said.push(
      `${countOf(skewedCount, "span")} ${skewedCount === 1 ? "starts" : "start"} before the parent, so the clocks of their hosts differ. Bars stand where those clocks put them.`,
    )
  return said
}
