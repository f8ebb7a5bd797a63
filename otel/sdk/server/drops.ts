import type { DropCategory, DropReason, DropStage } from "../../protocol/records/drop.ts"
import { fromMilliseconds } from "../../protocol/records/time.ts"
import { localInspector } from "./local-inspector.ts"

/** Tells the inspector in this process, where there is one, what was lost and why. */
export function countDrop(
  stage: DropStage,
  reason: DropReason,
  category: DropCategory,
  count: number,
  sample: string,
): void {
  localInspector()?.drop({ time: fromMilliseconds(Date.now()), stage, reason, category, count, sample })
}
